"""What the looks of a session show, with their controls judged: greps of a help, inspections of a signature, questions for a version. Pure.

A grep shows no control: what it prints is what it was asked for. That a flag stands in it needs none; that it does not stand in it says nothing,
unless the same help was shown in full in the session and lists a flag that is known to exist.
"""

import re
from collections.abc import Mapping, MutableMapping

from msgspec import Struct

from agent import session_commands as commands
from agent.stated import stated
from probes.frameworks.framework import Framework
from probes.help_grep import PROBE as HELP
from probes.help_grep import listed
from transcripts.importers.session import Step
from transcripts.records import Finding, Outcome, Output, Question, Sign

_TROUBLE = re.compile(r"^Traceback \(most recent call last\):|^\w*(?:Error|Exception): |: command not found$|^Package\(s\) not found", re.M)
_RELEASE = re.compile(r"\b\d+\.\d+(?:\.\w+)*(?:\+\w+)?\b")
_CONTROLS = ("model", "model_path")
_PRESENT = "none needed: what was asked for is there"


class Asked(Struct, frozen=True, kw_only=True):
    """A look of the session as a question of ours, its raw output, and what it shows. `release` is set where it told the framework's."""

    question: Question
    output: Output
    finding: Finding
    release: str = ""


def judged_help(step: Step, flags: Mapping[str, None], seen: MutableMapping[tuple[str, str], str]) -> Asked | None:
    """A look into a program's help. `flags` are those in question so far; `seen` keeps the helps that were shown whole, by framework and mode."""
    help_asked = commands.help_asked(step.text)
    if help_asked is None:
        return None
    framework, mode = help_asked.framework, help_asked.mode
    key = (framework.name, mode)
    if not help_asked.filtered:
        seen[key] = step.output
    flag = commands.asked_about(help_asked.pattern, flags)
    question = Question(probe="help-grep", parameters={"flag": flag, "mode": mode, "framework": framework.name})
    output = Output(status=0 if help_asked.filtered else step.exit_status or 0, stdout=step.output, seconds=step.seconds)
    if not help_asked.filtered:
        return Asked(question=question, output=output, finding=_sourced(HELP.read(question, output)))
    return Asked(question=question, output=output, finding=_grepped(question, step, help_asked.pattern, framework, seen.get(key)))


def _grepped(question: Question, step: Step, pattern: str, framework: Framework, whole: str | None) -> Finding:
    flag, mode, control = question.parameters["flag"], question.parameters["mode"], framework.control_flag
    if flag and listed(flag, step.output):
        sign = Sign(variable="registered", value="yes", parameters={"flag": flag}, source="probe:help-grep")
        return Finding(outcome=Outcome.OBSERVED, text=f"the {mode} help lists {flag}", signs=(sign,), control=_PRESENT)
    if whole is not None:
        return _sourced(HELP.read(question, Output(status=0, stdout=whole)))
    count = len([line for line in step.output.splitlines() if line.strip()])
    printed = "nothing" if not count else f"{count} line{'s' if count > 1 else ''} that name no such flag"
    said = (
        f"the grep of the {mode} help for {pattern or 'a pattern'} printed {printed}, which says nothing about {flag or 'the flag'}: "
        f"it had no control (would it have shown {control}, which every release has?)"
    )
    return Finding(outcome=Outcome.VOID, text=said, control=f"{control} was not looked for in the same text")


def _sourced(finding: Finding) -> Finding:
    signs = tuple(Sign(variable=s.variable, value=s.value, parameters=s.parameters, source=s.source or "probe:help-grep") for s in finding.signs)
    return Finding(outcome=finding.outcome, text=finding.text, signs=signs, control=finding.control)


def judged_signature(step: Step, flags: Mapping[str, None]) -> Asked | None:
    """A look at the signature of the Python API: it says what that takes, and nothing about the command line."""
    name = commands.api_inspected(step.text)
    if not name:
        return None
    flag = next((f for f in flags if _parameter(f) in step.output or _parameter(f) in step.text), next(iter(flags), ""))
    question = Question(probe="signature", parameters={"flag": flag, "api": name, "registered": "unknown"})
    output = Output(status=step.exit_status, stdout=step.output, seconds=step.seconds)
    parameter = _parameter(flag)
    if _TROUBLE.search(step.output):
        finding = Finding(outcome=Outcome.UNREADABLE, text=f"the look at {name} failed: {_last(step.output)}")
    elif flag and re.search(rf"\b{parameter}\b", step.output):
        text = f"{name} has a parameter {parameter}, which says nothing about the command line"
        finding = Finding(outcome=Outcome.OBSERVED, text=text, control=_PRESENT)
    elif any(re.search(rf"\b{control}\b", step.output) for control in _CONTROLS):
        text = f"{name} shows no parameter {parameter.strip(chr(0)) or 'in question'}"
        finding = Finding(outcome=Outcome.OBSERVED, text=text, control="its model parameter is shown")
    else:
        text = f"what was shown of {name} names no parameter that it is known to have"
        finding = Finding(outcome=Outcome.VOID, text=text, control=f"none of {', '.join(_CONTROLS)}")
    return Asked(question=question, output=output, finding=finding)


def _parameter(flag: str) -> str:
    return flag.lstrip("-").partition(".")[0].replace("-", "_") or "\0"


def judged_version(step: Step, framework: Framework | None) -> Asked | None:
    """A question for what is installed."""
    framework = commands.framework_named(step.text) or framework
    if framework is None:
        return None
    question = Question(probe="versions", parameters={"framework": framework.name})
    output = Output(status=step.exit_status, stdout=step.output, seconds=step.seconds)
    release = _release(step.output, framework)
    if release:
        finding = Finding(outcome=Outcome.OBSERVED, text=f"{framework.name} {release}", control="a release is named")
    else:
        finding = Finding(outcome=Outcome.UNREADABLE, text=f"the answer names no release of {framework.name}: {_last(step.output)}")
    return Asked(question=question, output=output, finding=finding, release=stated(release, framework.name))


def installed(output: str, framework: Framework | None) -> str:
    """The release of the framework that an installation in the session ended with, or an empty text."""
    names = "|".join(re.escape(name) for name in framework.distributions) if framework else ""
    match = re.search(rf"Successfully installed\b.*?(?<![\w-])(?:{names})-(\d\S*)|^ \+ (?:{names})==(\d\S*)", output, re.M) if names else None
    return stated(match[1] or match[2], framework.name) if match and framework else ""


def _release(text: str, framework: Framework) -> str:
    """The release that an answer names: a ``Version:`` line behind the name, the name and a number in one line, or a number alone."""
    names = "|".join(re.escape(name) for name in {framework.name, framework.package, *framework.distributions})
    block = re.search(rf"^Name:\s*(?:{names})\s*$(?s:.*?)^Version:\s*(\S+)", text, re.M | re.I)
    named = re.search(rf"(?<![\w-])(?:{names})(?![\w-])[\s=:,v\w]{{0,20}}?({_RELEASE.pattern})", text, re.I)
    alone = [match[0] for line in text.splitlines() if (match := re.fullmatch(rf"v?(?:Version:\s*)?({_RELEASE.pattern})", line.strip()))]
    found = block or named
    return found[1] if found else (re.sub(r"^v?(?:Version:\s*)?", "", alone[-1]) if alone else "")


def _last(text: str) -> str:
    return (text.strip().splitlines() or ["nothing"])[-1].strip()[:200]
