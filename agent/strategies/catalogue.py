"""Every strategy by its name."""

from collections.abc import Mapping
from types import MappingProxyType

from agent.strategies import cheapest_first, checklist, information_gain, llm, optimal, random, relaunch_only, two_step
from agent.strategies.strategy import Strategy

STRATEGIES: Mapping[str, Strategy] = MappingProxyType(
    {
        "information-gain": information_gain.choose,
        "two-step": two_step.choose,
        "checklist": checklist.choose,
        "cheapest-first": cheapest_first.choose,
        "random": random.choose,
        "relaunch-only": relaunch_only.choose,
        "llm": llm.choose,
        "optimal": optimal.choose,
    }
)
