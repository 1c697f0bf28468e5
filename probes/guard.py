"""The read-only guard: which commands a probe may run, by program and by flags. What is not allowed here is refused, whoever asks for it.

Python scripts are judged by their syntax tree: nothing that writes, deletes, sends, signals or starts a process. Shells may only evaluate a text
whose one command is the argv echo. Serving programs may only be asked for their help or release. The extractor of flags (`probes.atlas.source`)
alone may evaluate code: the parser-building code of the framework, in an interpreter of its own.
"""

import ast
import re

from probes.argv_echo import STAND_IN
from probes.atlas.source import program
from probes.simple_command import SHELLS, runs_only
from transcripts.records import Command

_PYTHON = re.compile(r"(?:python|pypy)[\d.]*$")
_PYTHON_FLAGS = frozenset({"-I", "-S", "-E", "-s", "-B", "-P", "-u", "-O"})
_SERVERS = frozenset({"vllm", "litellm", "sglang"})
_ASKING = re.compile(r"^(?:-h|--help(?:=[\w-]+)?|-v|--version)$")
_SUBCOMMAND = re.compile(r"^(?:serve|[\w.]+)$")

_MODULES = frozenset({"subprocess", "shutil", "ctypes", "multiprocessing", "pty", "tempfile", "urllib", "http", "ftplib", "smtplib", "asyncio"})
_OS = re.compile(
    r"^(?:remove|unlink|rmdir|removedirs|renames?|replace|mkdir|makedirs|mkfifo|mknod|system|popen|exec\w+|spawn\w+|posix_spawnp?|fork|forkpty|kill|killpg"
    r"|chmod|fchmod|lchmod|chown|fchown|lchown|link|symlink|truncate|ftruncate|utime|setuid|setgid|setxattr)$"
)
_EVALUATORS = frozenset({"exec", "eval", "compile", "__import__"})
_METHODS = frozenset({"write_text", "write_bytes", "touch", "unlink", "rmtree", "connect", "bind", "create_connection", "sendto", "sendall"})

_PLAIN: dict[str, re.Pattern[str]] = {
    "cat": re.compile(r"^/(?!dev/)[^\n]*$"),
    "head": re.compile(r"^(?:-c|-n|\d+|--|(?!/dev/)[^-\n][^\n]*)$"),
    "ss": re.compile(r"^(?:-[lntpuHa46]+|sport|=|:\d+|sport = :\d+)$"),
    "nvidia-smi": re.compile(r"^(?:-L|-q|--query-(?:gpu|compute-apps)=[\w.,]+|--format=[\w,]+)$"),
    "rocm-smi": re.compile(r"^--show\w+$"),
    "df": re.compile(r"^(?:-[hkPT]+|/\S*)$"),
    "id": re.compile(r"^-[ugnG]+$"),
    "uname": re.compile(r"^-[amrsv]+$"),
    "readelf": re.compile(r"^(?:-[dhW]+|/\S*)$"),
    "readlink": re.compile(r"^(?:-[fe]+|/\S*)$"),
    "ls": re.compile(r"^(?:-[laLd1]+|/\S*)$"),
    "stat": re.compile(r"^(?:-[cL]+|%\S+|/\S*)$"),
}


def refusal(command: Command) -> str:
    """Why a probe may not run `command`, in a sentence; empty where it may."""
    if not command.argv or not command.argv[0]:
        return "an empty command asks nothing"
    name = command.argv[0].rpartition("/")[2]
    words = command.argv[1:]
    if _PYTHON.match(name):
        return _of_python(words, command.stdin)
    if name in SHELLS:
        return _of_shell(words)
    if name in _SERVERS:
        return _of_server(name, words)
    allowed = _PLAIN.get(name)
    if allowed is None:
        return f"{name} is no program that a probe may run"
    wrong = next((word for word in words if not allowed.match(word)), None)
    return "" if wrong is None else f"{name} may not be given {wrong!r}"


def _of_server(name: str, words: tuple[str, ...]) -> str:
    asks = any(_ASKING.match(word) for word in words)
    plain = all(_ASKING.match(word) or _SUBCOMMAND.match(word) for word in words)
    return "" if asks and plain else f"{name} may only be asked for its help or its release"


def _of_shell(words: tuple[str, ...]) -> str:
    if len(words) != 2 or words[0] != "-c":
        return "a shell may only evaluate one text, with -c"
    text = words[1]
    return "" if STAND_IN in text and runs_only(text, STAND_IN) else "a shell may only evaluate a text whose one command is the argv echo"


def _of_python(words: tuple[str, ...], stdin: str) -> str:
    count = next((n for n, word in enumerate(words) if word not in _PYTHON_FLAGS), len(words))
    rest = words[count:]
    if not rest or rest[0] not in ("-c", "-", "-m"):
        return "Python may only run a script of ours, with -c or from its stdin, or ask a module for its help"
    if rest[0] == "-m":
        return "" if len(rest) > 2 and all(_ASKING.match(word) for word in rest[2:]) else "a module may only be asked for its help"
    script = stdin if rest[0] == "-" else (rest[1] if len(rest) > 1 else "")
    return script_refusal(script)


def script_refusal(script: str) -> str:
    """Why a script is not read-only, in a sentence; empty where it is. One that does not parse as Python 3.8 is refused."""
    try:
        tree = ast.parse(script, feature_version=(3, 8))
    except (SyntaxError, ValueError) as error:
        return f"the script does not parse: {error}"
    evaluates = script == program()
    reasons = (_of_node(node) for node in ast.walk(tree) if not (evaluates and _evaluates(node)))
    return next((reason for reason in reasons if reason), "" if script.strip() else "an empty script asks nothing")


def _evaluates(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _EVALUATORS


def _of_node(node: ast.AST) -> str:
    if isinstance(node, ast.Import):
        return next((f"the script imports {alias.name}" for alias in node.names if alias.name.partition(".")[0] in _MODULES), "")
    if isinstance(node, ast.ImportFrom):
        own = (node.module or "").partition(".")[0] in _MODULES or (node.module == "os" and any(_OS.match(alias.name) for alias in node.names))
        return f"the script imports {', '.join(alias.name for alias in node.names)} from {node.module}" if own else ""
    if isinstance(node, ast.Attribute):
        if isinstance(node.value, ast.Name) and node.value.id == "os" and _OS.match(node.attr):
            return f"the script uses os.{node.attr}"
        return f"the script uses {node.attr}" if node.attr in _METHODS else ""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if _evaluates(node):
            return f"the script calls {node.func.id}, which can do anything"
        return _of_open(node) if node.func.id == "open" else ""
    return ""


def _of_open(call: ast.Call) -> str:
    modes = [*call.args[1:2], *(keyword.value for keyword in call.keywords if keyword.arg == "mode")]
    for mode in modes:
        if not isinstance(mode, ast.Constant) or not isinstance(mode.value, str) or set(mode.value) - set("rbtU"):
            return "the script opens a file to write"
    return ""
