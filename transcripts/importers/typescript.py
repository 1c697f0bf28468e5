"""A typescript of ``script``: everything that a terminal showed, between a line that says when it started and one that says when it was done.

Its times lie in another file (``--log-timing``), so the steps have none but the start's.
"""

import re

from msgspec import structs

from transcripts.errors import UsageError
from transcripts.importers.session import Session, instant
from transcripts.importers.shell_log import steps_of
from transcripts.importers.terminal import shown

_STARTED = re.compile(r"\AScript started on (?P<at>[^\[\r\n]*?)\s*(?:\[(?P<facts>[^\r\n]*)\])?\r?\n")
_DONE = re.compile(r"\r?\n?Script done on [^\r\n]*\r?\n?\Z")
_COMMAND = re.compile(r'COMMAND="((?:[^"\\]|\\.)*)"')
_CODE = re.compile(r'COMMAND_EXIT_CODE="(-?\d+)"')


def read(data: bytes) -> Session:
    """The steps of a typescript.

    Raises:
        UsageError: it does not begin like one, or no prompt is recognised in it.
    """
    text = data.decode("utf-8", "replace")
    started = _STARTED.match(text)
    if started is None:
        raise UsageError("this is no typescript: it does not begin with 'Script started on …'")
    done = _DONE.search(text)
    body = text[started.end() : done.start() if done else len(text)]
    command = _COMMAND.search(started["facts"] or "")
    if command is not None:  # script -c COMMAND: there is no prompt, the whole of it is one command
        body = f"$ {command[1]}\n{body}"
    steps = steps_of(shown([(0.0, body)]))
    if not steps:
        raise UsageError("no prompt is recognised in this typescript: commands are told from output by the shell's prompt")
    code = _CODE.search(done[0]) if done else None
    if command is not None and code is not None:
        steps = (structs.replace(steps[0], exit_status=int(code[1])), *steps[1:])
    return Session(format="typescript", steps=(structs.replace(steps[0], at=instant(started["at"].replace(" ", "T", 1))), *steps[1:]))
