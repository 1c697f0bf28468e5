"""Asks how much room there is where the server writes: the cache and temporary folders, and shared memory.

Outcomes: enough, full (less than a GiB where files are kept), read-only, small-shm (shared memory of less than a GiB, where the rest has room); could
not look. Cost: one start of a Python without site-packages. Control: the root folder's file system has a size.
"""

from typing import Any

from probes.asking import answer, ask, environment, python_of, seen, unreadable
from probes.probe import Probe, Situation
from transcripts.records import Command, Finding, Outcome, Output, Question, Sign

NAME = "disk-space"
SCRIPT = """\
import json, os, sys
told = json.loads(sys.argv[1])
home = os.path.expanduser("~")
places = [told.get("TMPDIR") or "/tmp", told.get("HF_HOME") or os.path.join(home, ".cache"), told.get("VLLM_CACHE_ROOT") or home, "/dev/shm", "/"]
rows = []
for place in places:
    place = os.path.abspath(place)
    while place != "/" and not os.path.isdir(place):
        place = os.path.dirname(place)
    try:
        found = os.statvfs(place)
    except OSError:
        continue
    row = {"path": place, "total": found.f_blocks * found.f_frsize, "free": found.f_bavail * found.f_frsize, "inodes": found.f_favail}
    row["read_only"] = bool(found.f_flag & os.ST_RDONLY)
    if row not in rows:
        rows.append(row)
print(json.dumps({"places": rows}))
"""
_ERRORS = frozenset(["disk-full", "read-only", "shared-memory", "collective", "incomplete-weights", "corrupt-weights", "hang", "killed"])
_NAMES = ("TMPDIR", "HF_HOME", "VLLM_CACHE_ROOT")
_GIB = 1024**3


def questions(situation: Situation) -> tuple[Question, ...]:
    """One question, where the last failure has to do with files that are written or with shared memory."""
    signs = situation.symptom.signs if situation.symptom else ()
    asked = any(sign.variable == "error" and sign.value in _ERRORS for sign in signs)
    return (Question(probe=NAME),) if asked else ()


def command(question: Question, situation: Situation) -> Command:
    """Look at the file systems of the folders that the server's environment names."""
    known = environment(situation)
    return ask(SCRIPT, interpreter=python_of(situation), told={name: known[name] for name in _NAMES if known.get(name)})


def read(question: Question, output: Output) -> Finding:
    """Where there is no room."""
    value = answer(output)
    rows = value.get("places") if isinstance(value, dict) else None
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) and isinstance(row.get("total"), int) for row in rows):
        return unreadable(output)
    if not any(row["path"] == "/" and row["total"] > 0 for row in rows):
        return Finding(outcome=Outcome.VOID, text="no file system shows a size", control="the root folder has none")
    control = f"{len(rows)} folders looked at"
    text = "; ".join(f"{row['path']}: {row['free'] / _GIB:.1f} of {row['total'] / _GIB:.1f} GiB free" for row in rows)
    return Finding(outcome=Outcome.OBSERVED, text=text, signs=(_sign(rows),), control=control, data=value)


def _sign(rows: list[dict[str, Any]]) -> Sign:
    shared = [row for row in rows if row["path"].endswith("/shm")]
    files = [row for row in rows if row["path"] != "/" and row not in shared] or [row for row in rows if row["path"] == "/"]
    locked = [row for row in files if row.get("read_only")]
    full = [row for row in files if row["free"] < _GIB or row.get("inodes") == 0]
    if full and not locked:
        return seen(NAME, "space", "full", path=full[0]["path"])
    if locked:
        return seen(NAME, "space", "read-only", path=locked[0]["path"])
    if shared and shared[0]["free"] < _GIB:
        return seen(NAME, "space", "small-shm")
    return seen(NAME, "space", "enough")


PROBE = Probe(
    name=NAME,
    about="the room in the cache and temporary folders, and in shared memory",
    variables=("space",),
    cost=0.1,
    control="the root folder's file system has a size",
    paste="df -h /tmp ~/.cache /dev/shm",
    questions=questions,
    command=command,
    read=read,
)
