"""A parameter of the Python API that the command line does not have.

What happens
    A parameter of ``EngineArgs`` or a key of one of its JSON configurations was written as a flag of its own.
How it shows
    ``unrecognized arguments: --disable-log-stats-interval 5`` and the like.
How to tell
    The signature of the API has the name (or a configuration class has the key), the parser has no such flag.
Fix
    A configuration's key: through its JSON flag. Anything else: leave it out, or start the server from Python.
Fix safety
    Leaving it out leaves the default.
References
    vLLM ``EngineArgs.add_cli_args``; ``inspect.signature``.
"""

from agent.causes.cause import Cause
from agent.causes.mending import Option, in_words, option_of, parameter, takes_dotted
from probes.probe import Situation
from transcripts.records import Hypothesis, Repair


def _mend(hypothesis: Hypothesis, situation: Situation) -> tuple[Repair, ...]:
    """The key through its configuration's flag where the parser takes dotted keys, else the launch without it."""
    flag = parameter(hypothesis, "flag", "--FLAG")
    option = option_of(hypothesis, situation)
    key = flag.lstrip("-").replace("-", "_")
    carrier = _carrier(hypothesis, situation)
    if option is None:
        instead = f"give the key {key} through {carrier}" if carrier else f"leave {flag} out: only the Python API has it"
        return in_words(instead)
    dropped = Repair(
        summary=f"leave {flag} out: only the Python API has it", changes=(option.becomes(),), predicts=f"nothing is said of {flag} any more"
    )
    if not carrier or not takes_dotted(situation):
        return (dropped,)
    return (_carried(option, f"{carrier}.{key}"), dropped)


def _carried(option: Option, name: str) -> Repair:
    return Repair(
        summary=f"write {name} instead of {option.name}",
        changes=(option.becomes(name, option.value or "true"),),
        predicts=f"nothing is said of {option.name} any more",
    )


def _carrier(hypothesis: Hypothesis, situation: Situation) -> str:
    """The flag that takes the configuration whose key this is (empty: not known)."""
    config = hypothesis.parameters.get("config", "")
    if not config or config.startswith("--"):
        return config
    flags = situation.table.flags if situation.table else ()
    return next((name for flag in flags if flag.json_config == config for name in flag.names if name.startswith("--")), "")


CAUSE = Cause(
    id="flag/api-only",
    prior=0.012,
    subject=("flag",),
    parameters=("config", "value", "tokens", "index", "length"),
    table={
        # Together all but one in a million: a converter runs for a registered flag only, so no other error of an argument can come of it.
        "error": {"unrecognised": 0.997, "ambiguous-option": 0.002999},
        "shape": {"flag": 0.97},
        "registered": {"no": 0.999},
        "kin": {"api-only": 0.7, "config-key": 0.28},
        "delivery": {"as-meant": 0.98},
        "sent": {"consistent": 0.9999},
        "exit": {"usage": 0.95},
    },
    summary="{flag} is no flag of the command line: only the Python API or a JSON configuration has it.",
    advice="Give it through the JSON flag of its configuration, leave it out, or start the server from Python.",
    mend=_mend,
    related=("flag/renamed", "config/unknown-key"),
)
