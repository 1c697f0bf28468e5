"""Asks which devices there are, how much of their memory is free, and what they and their driver are.

Outcomes: free (devices with most of their memory free), occupied (one that other processes hold a good part of), none (the tool works and lists no
device), failed (the tool says that the driver does not answer, or does not fit it); could not look (no such tool: other makers have their own).
Cost: one start of ``nvidia-smi``. Control: every line must have the columns that were asked for.
"""

import re

from probes.asking import seen, unreadable
from probes.probe import Probe, Situation
from transcripts.records import Command, Finding, Outcome, Output, Question

NAME = "device-memory"
_COLUMNS = "index,name,memory.total,memory.free,compute_cap,driver_version"
_ERRORS = frozenset(
    ["memory", "free-memory", "cache-memory", "device", "driver", "driver-absent", "compute-capability", "device-fault", "ranks", "collective"],
)
_HELD = 0.15
"""The share of a device's memory that makes it occupied: what a desktop or a driver takes is less."""
_FAILED = re.compile(r"couldn't communicate with the NVIDIA driver|version mismatch|Failed to initialize NVML|Unknown Error|GPU is lost")
_NONE = re.compile(r"No devices were found|No devices found")


def questions(situation: Situation) -> tuple[Question, ...]:
    """One question, where the last failure has to do with devices or their memory."""
    signs = situation.symptom.signs if situation.symptom else ()
    asked = any(sign.variable == "error" and sign.value in _ERRORS for sign in signs)
    return (Question(probe=NAME),) if asked else ()


def command(question: Question, situation: Situation) -> Command:
    """List the devices with their memory in MiB."""
    return Command(argv=("nvidia-smi", f"--query-gpu={_COLUMNS}", "--format=csv,noheader,nounits"), timeout=20.0)


def read(question: Question, output: Output) -> Finding:
    """Whether there are devices, and whether somebody holds their memory."""
    said = (output.stdout.strip() or output.stderr.strip()).split("\n")[0][:200]
    if _NONE.search(output.stdout + output.stderr):
        sign = seen(NAME, "accelerator", "none")
        return Finding(outcome=Outcome.OBSERVED, text="the driver answers and lists no device", signs=(sign,), control="the tool's own words")
    if _FAILED.search(output.stdout + output.stderr):
        sign = seen(NAME, "accelerator", "failed", message=said)
        return Finding(outcome=Outcome.OBSERVED, text=f"the driver does not answer: {said}", signs=(sign,), control="the tool's own words")
    rows = [[cell.strip() for cell in line.split(",")] for line in output.stdout.strip().split("\n")]
    if output.status != 0 or output.truncated or not all(len(row) == 6 and row[2].isdigit() and row[3].isdigit() for row in rows):
        return unreadable(output)
    return _of_rows(rows)


def _of_rows(rows: list[list[str]]) -> Finding:
    held = [row for row in rows if int(row[3]) < int(row[2]) * (1 - _HELD)]
    text = "; ".join(f"{row[1]} ({row[0]}): {row[3]} of {row[2]} MiB free, compute capability {row[4]}, driver {row[5]}" for row in rows)
    row = (held or rows)[0]
    sign = seen(NAME, "accelerator", "occupied" if held else "free", free=row[3], total=row[2])
    data = {"devices": [dict(zip(_COLUMNS.split(","), row, strict=True)) for row in rows]}
    return Finding(outcome=Outcome.OBSERVED, text=text, signs=(sign,), control=f"{len(rows)} devices listed", data=data)


PROBE = Probe(
    name=NAME,
    about="the devices, and who holds their memory",
    variables=("accelerator",),
    cost=0.3,
    control="every line has the columns that were asked for",
    paste="nvidia-smi --query-gpu=name,memory.total,memory.free,compute_cap,driver_version --format=csv; "
    "nvidia-smi --query-compute-apps=pid,used_memory --format=csv",
    questions=questions,
    command=command,
    read=read,
)
