"""Where one launch ends and the next begins in a log that holds several: a restart loop, a container that is started again. Pure.

The last launch is the one in question: what an earlier one died of, or that it came up, is no evidence about it.
"""

import re
from itertools import pairwise

from agent.reading.lines import Line

_STARTS = re.compile(
    r"vLLM API server version |server_args=ServerArgs\(|^usage: (?:vllm|api_server\.py|launch_server\.py|sglang)|^Usage: litellm\b"
    r"|Started server process \[(?P<pid>\d+)\]"
)
_TALK = frozenset(("INFO", "DEBUG", "WARNING"))
_ENDS = re.compile(
    r"(?:^|[\s(])(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt|Exit)\b|(?:^|: )[Ee]rror: |\bKilled\b|\bAborted\b|core dumped"
    r"|command not found|Main process exited"
)
_STOPPED = re.compile(r"Application (?:shutdown complete|startup failed)|Finished server process|[Ss]hutting down")


def last_launch(lines: tuple[Line, ...]) -> tuple[Line, ...]:
    """The lines of the last launch that begins in `lines`; all of them where no other has ended before it."""
    starts = _starts(lines)
    for before, start in reversed(list(pairwise(starts))):
        ended = next((index for index in range(start - 1, before, -1) if _is_end(lines[index])), None)
        if ended is not None:
            return lines[ended + 1 :]
    return lines


def _starts(lines: tuple[Line, ...]) -> list[int]:
    """The indices of the lines with which a launch begins. A server process is a new launch only where its number was there before."""
    found: set[int] = set()
    pids: dict[str, int] = {}
    for index, line in enumerate(lines):
        match = _STARTS.search(line.text)
        if match is None:
            continue
        pid = match["pid"]
        if pid is None:
            found.add(index)
        elif pid in pids:
            found |= {pids[pid], index}
        if pid is not None:
            pids[pid] = index
    return sorted(found)


def _is_end(line: Line) -> bool:
    if line.level == "INFO" and _STOPPED.search(line.text):
        return True
    return line.level in ("ERROR", "CRITICAL") or (line.level not in _TALK and bool(_ENDS.search(line.text)))
