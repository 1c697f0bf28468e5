"""Asks whether the kernel has lately killed a process of the server for want of memory, and which memory limit a server gets there.

Outcomes: oom-kill (the kernel's log of the last hour, or the counter of a limited memory group, tells of one), quiet (they can be read and tell of
none); could not look (the log may not be read, and the process is in no limited group). Cost: one start of a Python without site-packages. Control:
the log has lines, or the limited group has its counter; a kill that is older than an hour is none of this attempt's.
"""

import re
from typing import Any

from probes.asking import answer, ask, python_of, seen, unreadable
from probes.probe import Probe, Situation
from transcripts.records import Command, Finding, Outcome, Output, Question

NAME = "kernel-log"
SCRIPT = """\
import json, os
found = {"lines": 0, "kills": [], "groups": [], "uptime": 0.0}

def text(path):
    try:
        with open(path) as stream:
            return stream.read(65536)
    except OSError:
        return ""

def number(path):
    word = text(path).strip()
    return int(word) if word.isdigit() else -1

def counters(path):
    rows = [line.split() for line in text(path).splitlines()]
    return {row[0]: int(row[1]) for row in rows if len(row) == 2 and row[1].isdigit()}

def telling(line):
    return "oom-kill:" in line or "Killed process" in line

found["uptime"] = float((text("/proc/uptime").split() or ["0"])[0])
try:
    log = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
except OSError:
    log = -1
while log >= 0:
    try:
        record = os.read(log, 8192).decode("utf-8", "replace")
    except BlockingIOError:
        break
    except OSError:
        continue
    if not record:
        break
    found["lines"] += 1
    head, _, said = record.partition(";")
    stamp = (head.split(",") + ["", "", ""])[2]
    if telling(said) and stamp.isdigit():
        found["kills"].append({"age": round(found["uptime"] - int(stamp) / 1e6, 1), "text": said.split("\\n")[0][:400]})
found["kills"] = found["kills"][-20:]

roots = ["/sys/fs/cgroup", "/sys/fs/cgroup/memory"]
for line in text("/proc/self/cgroup").splitlines():
    number_, names, path = (line.split(":", 2) + ["", ""])[:3]
    if names in ("", "memory"):
        roots.append(("/sys/fs/cgroup/memory" if names else "/sys/fs/cgroup") + path)
for root in sorted(set(root.rstrip("/") for root in roots)):
    events, control = counters(root + "/memory.events"), counters(root + "/memory.oom_control")
    limit = max(number(root + "/memory.max"), number(root + "/memory.limit_in_bytes"))
    if events or control or limit >= 0:
        peak = max(number(root + "/memory.peak"), number(root + "/memory.max_usage_in_bytes"))
        group = {"path": root, "kills": events.get("oom_kill", control.get("oom_kill", -1)), "limit": limit, "peak": peak}
        group["failures"] = max(events.get("max", -1), number(root + "/memory.failcnt"))
        found["groups"].append(group)
print(json.dumps(found))
"""
_ERRORS = frozenset({"killed", "host-memory", "none", "toolchain", "service"})
_OURS = re.compile(r"(?i)(?:Killed process \d+ \(|task=)(?:vllm|sglang|litellm|python|pt_main|ray|uvicorn|gunicorn|cc1plus|nvcc|cicc|ptxas)")
_LATELY = 3600.0
_UNLIMITED = 1 << 60
_GIB = 1024**3


def questions(situation: Situation) -> tuple[Question, ...]:
    """One question, where the last failure may be the kernel's doing."""
    signs = situation.symptom.signs if situation.symptom else ()
    asked = any((sign.variable == "error" and sign.value in _ERRORS) or (sign.variable, sign.value) == ("exit", "killed") for sign in signs)
    return (Question(probe=NAME),) if asked else ()


def command(question: Question, situation: Situation) -> Command:
    """Read the kernel's log and the counters of the memory groups, as far as they may be read."""
    return ask(SCRIPT, interpreter=python_of(situation))


def read(question: Question, output: Output) -> Finding:
    """Whether a process of a server was killed lately, and the limit that counts."""
    value = answer(output)
    if not isinstance(value, dict) or not isinstance(value.get("groups"), list) or not isinstance(value.get("lines"), int):
        return unreadable(output)
    groups = [group for group in value["groups"] if isinstance(group, dict)]
    # A group without a limit of its own is killed for another's, whose counter it does not have.
    counted = [group for group in groups if group.get("kills", -1) >= 0 and 0 < group.get("limit", -1) < _UNLIMITED]
    if not value["lines"] and not counted:
        return Finding(outcome=Outcome.DENIED, text="the kernel's log may not be read, and no limited memory group tells", data=value)
    control = f"{value['lines']} lines of the kernel's log, {len(counted)} counters"
    limit, text = _limit(groups)
    kills = [kill for kill in value.get("kills", ()) if 0 <= kill["age"] <= _LATELY and _OURS.search(kill["text"])]
    boxed = [group for group in counted if group["kills"] > 0]
    if kills or boxed:
        told = kills[-1]["text"] if kills else f"{boxed[-1]['kills']} kills in {boxed[-1]['path']}"
        sign = seen(NAME, "kernel", "oom-kill", signal="SIGKILL", **limit)
        return Finding(
            outcome=Outcome.OBSERVED, text=f"the kernel killed for want of memory: {told}; {text}", signs=(sign,), control=control, data=value
        )
    sign = seen(NAME, "kernel", "quiet", signal="SIGKILL", **limit)
    return Finding(outcome=Outcome.OBSERVED, text=f"no kill for want of memory lately; {text}", signs=(sign,), control=control, data=value)


def _limit(groups: list[dict[str, Any]]) -> tuple[dict[str, str], str]:
    """The smallest limit that is one, as a parameter and in words."""
    real = sorted(group["limit"] for group in groups if 0 < group.get("limit", -1) < _UNLIMITED)
    if not real:
        return {}, "no limit of its own on memory"
    size = f"{real[0] / _GIB:.2f} GiB"
    return {"limit": size}, f"the memory limit is {size}"


PROBE = Probe(
    name=NAME,
    about="whether the kernel killed a process of the server for want of memory, and the memory limit",
    variables=("kernel",),
    cost=0.1,
    control="the kernel's log has lines, or the limited memory group has its counter of kills",
    paste="dmesg -T | grep -E 'oom-kill|Killed process' | tail; cat /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory.max",
    questions=questions,
    command=command,
    read=read,
)
