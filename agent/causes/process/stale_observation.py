"""What was read is not this attempt's: an old log, or the output of another process.

What happens
    The launch was changed and the same error is read again, because the file, the pane or the container that is read belongs to an earlier
    attempt; or the launch did not happen at all.

How it shows
    The error quotes a value that this launch does not hold and that none of its layers can make of what it holds.

How to tell
    Compare the value in the error with the one sent; the log's time, inode and process with the attempt's.

Fix
    Start again with a fresh log, and read that one.

Fix safety
    Nothing is changed in the launch: as long as the log is another's, every change would be a guess.

References
    https://www.gnu.org/software/bash/manual/html_node/Redirections.html
"""

from agent.causes.cause import Cause
from agent.causes.mending import in_words
from probes.probe import Situation
from transcripts.records import Hypothesis, Repair


def mend(hypothesis: Hypothesis, situation: Situation) -> tuple[Repair, ...]:
    """Which output to read, in words: there is nothing in the launch to mend."""
    value = hypothesis.parameters.get("value", "")
    flag = hypothesis.parameters.get("flag", "")
    about = f"the log speaks of {value}" + (f" for {flag}" if flag else "") + ", which this launch does not send; " if value else ""
    return in_words(
        f"{about}read the output of this launch, not an earlier one's",
        "start it again with its output going to a new file (COMMAND > new.log 2>&1), and read that file",
        "check that the process you started is the one that wrote the log: compare its start with the log's first line",
    )


CAUSE = Cause(
    id="process/stale-observation",
    prior=0.03,
    table={
        "error": {
            "converter-refused": 0.15,
            "json-invalid": 0.05,
            "unrecognised": 0.22,
            "invalid-value": 0.08,
            "invalid-choice": 0.08,
            "expected-argument": 0.06,
            "no-such-file": 0.08,
            "file-malformed": 0.05,
            "repository-invalid": 0.05,
            "address-in-use": 0.06,
        },
        "sent": {"another": 0.95},
        "provenance": {"stale": 0.9},
    },
    summary="The log is not this launch's: it speaks of {value}, which the launch does not send.",
    advice="Start again with a fresh log and read that one, before anything in the launch is changed.",
    subject=(),
    parameters=("value", "flag", "path"),
    mend=mend,
)
