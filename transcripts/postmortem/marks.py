"""Small readings of signs, causes and times that the parts of the fold share."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from transcripts import events
from transcripts.postmortem.story import Cost
from transcripts.records import Belief, Launch, Sign

STALE = "process/stale-observation"
"""The cause that speaks of the observation, not of the launch."""

UNKNOWN = "unknown"
SUBJECTS = ("flag", "path", "name", "module", "library", "command", "port", "model", "value")
_FOREIGN = frozenset({("sent", "another"), ("provenance", "stale")})
_NO_ERROR = frozenset({"", "none", "up"})
_SHORT = 80


def subject_of(sign: Sign) -> str:
    """What the sign is about (a flag, a path, a port…), or an empty text."""
    return next((sign.parameters[name] for name in SUBJECTS if sign.parameters.get(name)), "")


def identity(sign: Sign) -> tuple[str, str, str]:
    """What makes two signs the same observation, whatever their source."""
    return sign.variable, sign.value, subject_of(sign)


def told(sign: Sign) -> str:
    """A sign in a few words: its variable, its value, and what it is about."""
    about = [text for name in ("flag", "value", *SUBJECTS) if (text := sign.parameters.get(name, "")) and len(text) <= _SHORT]
    named = ", ".join(dict.fromkeys(about))
    return f"{sign.variable}: {sign.value}" + (f" ({named})" if named else "")


def signature(signs: Iterable[Sign]) -> tuple[str, str]:
    """The kind of a failure and what it is about; empty where there is none."""
    for sign in signs:
        if sign.variable == "error" and sign.value not in _NO_ERROR:
            return sign.value, subject_of(sign)
    return "", ""


def foreign(sign: Sign) -> bool:
    """Whether the sign says that what was read is not this launch's own."""
    return (sign.variable, sign.value) in _FOREIGN


def marginals(belief: Belief) -> dict[str, float]:
    """Probabilities by cause, likeliest first."""
    found: dict[str, float] = {}
    for item in belief.weighed:
        found[item.hypothesis.cause] = found.get(item.hypothesis.cause, 0.0) + item.probability
    return dict(sorted(found.items(), key=lambda entry: (-entry[1], entry[0])))


def same_launch(one: Launch, other: Launch) -> bool:
    """Whether two launches execute the same thing in the same place."""

    def core(launch: Launch) -> tuple[Any, ...]:
        return launch.argv, launch.env, launch.unset, launch.cwd, launch.target

    return core(one) == core(other)


def spent(recorded: Sequence[events.AnyEvent], since: str) -> Cost:
    """What these events cost, from the time `since` on: wall time, or where a session has no clock the seconds that its steps took."""
    lasted = sum(event.reading.seconds for event in recorded if isinstance(event, events.QuestionAnswered))
    lasted += sum(event.attempt.seconds for event in recorded if isinstance(event, events.AttemptEnded))
    return Cost(
        launches=sum(isinstance(event, events.AttemptStarted) for event in recorded),
        probes=sum(isinstance(event, events.QuestionAnswered) for event in recorded),
        seconds=(seconds_between(since, recorded[-1].at) if recorded else 0.0) or round(lasted, 3),
    )


def seconds_between(began: str, ended: str) -> float:
    """Seconds between two recorded times; 0 where one is missing or is no time."""
    try:
        span = datetime.fromisoformat(ended) - datetime.fromisoformat(began)
    except (ValueError, TypeError):
        return 0.0
    return max(0.0, round(span.total_seconds(), 3))
