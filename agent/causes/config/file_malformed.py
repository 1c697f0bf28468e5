"""The configuration file cannot be read, or its content is refused.

What happens
    The file is no YAML (a tab, a missing space after a colon, a quote or bracket that stays open), or it is, and lacks what the framework asks
    for: an entry of model_list without litellm_params, a list written as a mapping, a misspelt key.

How it shows
    A ParserError or ScannerError of the YAML reader with line and column, or an error about a key of the file (KeyError: 'litellm_params').

How to tell
    Read the file with the framework's own YAML reader, then look for the keys it needs: no launch is needed.

Fix
    A corrected copy of the file, which the launch points to; the difference is printed.

Fix safety
    The file itself is never touched. What was meant is read off its lines: look at the difference.

References
    https://yaml.org/spec/1.2.2/ · https://docs.litellm.ai/docs/proxy/configs
"""

import posixpath

from agent.causes.cause import Cause
from agent.causes.config.yaml_repair import repair
from agent.causes.mending import in_words, parameter, replaced
from agent.causes.seen import text_of
from probes.probe import Situation
from transcripts.records import FileCopy, Hypothesis, Repair


def mend(hypothesis: Hypothesis, situation: Situation) -> tuple[Repair, ...]:
    """A corrected copy where the file's text is known and can be mended; otherwise words."""
    path = parameter(hypothesis, "path", "")
    if hypothesis.parameters.get("why") == "folder":
        return in_words(f"{path} is a folder, not a file", "give a file; a container makes such a folder where the file to be mounted is missing")
    origin = situation.launch.origin
    if origin is not None and origin.path == path:
        message = hypothesis.parameters.get("message", "it cannot be read")
        return (Repair(summary=f"correct {path}: {message}", predicts="the file is read, and its command started"),)
    text = text_of(situation, path)
    framework = situation.framework.name if situation.framework else ""
    mended = repair(text, path, framework) if text is not None and path else None
    if text is not None and framework == "vllm" and not path.endswith((".yaml", ".yml")):
        return _under_another_name(hypothesis, situation, path, text)
    change = replaced(situation, path, f"{{run}}/{mended.name}", hypothesis) if mended else None
    if mended is None or change is None:
        where = f" ({hypothesis.parameters['message']})" if hypothesis.parameters.get("message") else ""
        return in_words(
            f"correct {path or 'the configuration file'}{where}", "read it with a YAML checker, then compare its keys with the documentation"
        )
    copy = FileCopy(original=path, name=mended.name, text=mended.text, difference=mended.difference)
    summary = f"use a corrected copy of {path}: {'; '.join(mended.changes)}"
    return (
        Repair(
            summary=summary,
            changes=(change,),
            files=(copy,),
            steps=mended.remaining,
            predicts="the file is read and accepted, and the launch goes on",
        ),
    )


def _under_another_name(hypothesis: Hypothesis, situation: Situation, path: str, text: str) -> tuple[Repair, ...]:
    """vLLM reads only files whose name says YAML: the same text under such a name."""
    name = posixpath.splitext(posixpath.basename(path))[0] + ".yaml"
    change = replaced(situation, path, f"{{run}}/{name}", hypothesis)
    if change is None:
        return in_words(f"call {path} {name}: only files that end in .yaml or .yml are read")
    copy = FileCopy(original=path, name=name, text=text)
    return (Repair(summary=f"use a copy of {path} that is called {name}", changes=(change,), files=(copy,), predicts="the file is read"),)


CAUSE = Cause(
    id="config/file-malformed",
    prior=0.05,
    table={
        "error": {"file-malformed": 0.6, "file-refused": 0.36, "validation": 0.01, "other": 0.01},
        "manifest": {"unbalanced": 0.45, "refused": 0.45},
        "file": {"malformed": 0.6, "refused": 0.36, "present": 0.035},
        "sent": {"consistent": 0.9999},
        "phase": {"none": 0.1, "arguments": 0.45, "config": 0.15, "model": 0.15, "server": 0.1},
    },
    summary="The file {path} cannot be used as it is: {message}",
    advice="Correct the line that the error names; then check that every entry has the keys that the framework asks for.",
    subject=("path",),
    parameters=("key", "message", "line", "why"),
    mend=mend,
)
