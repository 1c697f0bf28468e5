"""Every strategy by its name."""

from collections.abc import Mapping
from types import MappingProxyType

from agent.strategies import information_gain
from agent.strategies.strategy import Strategy

STRATEGIES: Mapping[str, Strategy] = MappingProxyType({"information-gain": information_gain.choose})
