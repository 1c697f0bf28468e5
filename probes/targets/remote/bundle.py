"""The helper as it travels: the modules of the far side as one program, and the command line that starts it under any login shell.

The command stands in single quotes and holds no character that sh, bash, dash, zsh, fish, csh or tcsh would read inside them; the program itself
comes in by stdin, so nothing of it passes a shell.
"""

import json
import zlib
from functools import cache
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[3]
_MODULES = (
    "probes.targets.processes",
    "probes.targets.received",
    "probes.targets.spawning",
    "probes.targets.files",
    "probes.targets.remote.frames",
    "probes.targets.remote.commands",
    "probes.targets.remote.launched",
    "probes.targets.remote.keeper",
    "probes.targets.remote.attach",
)
"""What travels, each after what it imports."""

_LOADER = """\
import json, sys, types, __future__
for name, source in json.loads({modules}):
    parts = name.split(".")
    for count in range(1, len(parts)):
        package = sys.modules.setdefault(".".join(parts[:count]), types.ModuleType(parts[count - 1]))
        package.__path__ = []
    module = sys.modules[name] = types.ModuleType(name)
    exec(compile(source, "nostart:" + name, "exec", __future__.annotations.compiler_flag, True), module.__dict__)
sys.modules["probes.targets.remote.attach"].main()
"""

_TOO_OLD = 77
_RECEIVER = (
    f"import io,os,sys,zlib;sys.version_info<(3,8) and sys.exit({_TOO_OLD});f=io.FileIO(0,closefd=False);n=int(f.readline());c=bytearray();"
    "[c.extend(f.read(n-len(c)) or os._exit(1)) for _ in iter(lambda:len(c)<n,False)];exec(zlib.decompress(c))"
)
_PYTHONS = (
    "python3 /usr/bin/python3 /usr/local/bin/python3 /opt/conda/bin/python3 python3.13 python3.12 python3.11 python3.10 python3.9 python3.8 python"
)

COMMAND = (
    f"sh -c 'for p in {_PYTHONS}; do"
    ' command -v "$p" >/dev/null 2>&1 || continue;'
    f' "$p" -I -S -c "{_RECEIVER}"; s=$?; [ $s = {_TOO_OLD} ] || exit $s; done;'
    ' echo "nostart: no Python 3.8 or later is found here" >&2; exit 127\''
)
"""What the login shell of the far side is given."""


@cache
def program() -> bytes:
    """What is written to the command's stdin first: its size on a line, and the compressed program."""
    sources = [(name, (_ROOT / (name.replace(".", "/") + ".py")).read_text(encoding="utf-8")) for name in _MODULES]
    data = zlib.compress(_LOADER.replace("{modules}", repr(json.dumps(sources))).encode(), 9)
    return f"{len(data)}\n".encode() + data
