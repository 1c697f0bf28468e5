"""Variables of the environment that collide, hold nonsense or are misspelt."""

import pytest

from probes.environment_names import environment_faults
from probes.frameworks.catalogue import by_name
from probes.frameworks.framework import Framework
from transcripts.records import Fault

KNOWN = ("VLLM_PORT", "VLLM_LOGGING_LEVEL", "VLLM_HOST_IP", "VLLM_DP_MASTER_PORT", "VLLM_CPU_KVCACHE_SPACE", "VLLM_USE_V1")


@pytest.fixture
def vllm() -> Framework:
    """What is known of vLLM."""
    found = by_name("vllm")
    assert found is not None
    return found


def told(faults: tuple[Fault, ...]) -> list[tuple[str, str, bool]]:
    """Value, name and proof of each fault."""
    return [(fault.signs[0].value, fault.signs[0].parameters["name"], fault.established) for fault in faults]


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"PATH": "/usr/bin", "HOME": "/root"},
        {"VLLM_PORT": "29500", "VLLM_LOGGING_LEVEL": "debug", "VLLM_CPU_KVCACHE_SPACE": "4"},
        {"VLLM_HOST_IP": "10.0.0.1", "VLLM_DP_MASTER_PORT": "29501"},
        {"VLLM_SOMETHING_OF_OURS": "1"},
        {"REDIS_PORT": "tcp://10.0.0.3:6379"},
    ],
)
def test_a_plain_environment_is_clean(vllm: Framework, environment: dict[str, str]) -> None:
    """Variables used as they are meant, and foreign ones, are no fault."""
    assert [] == told(environment_faults(vllm, environment, KNOWN))


@pytest.mark.parametrize("value", ["tcp://10.0.0.12:8000", "udp://10.0.0.12:53", "http://vllm"])
def test_a_service_address_in_the_port_is_proof(vllm: Framework, value: str) -> None:
    """``VLLM_PORT`` with the address of a Kubernetes Service ends the start."""
    assert [("collision", "VLLM_PORT", True)] == told(environment_faults(vllm, {"VLLM_PORT": value}, KNOWN))


def test_the_other_names_of_a_service_are_told_once_and_not_as_proof(vllm: Framework) -> None:
    """What else a Service injects is harmless: one remark, no proof; with ``VLLM_PORT`` at fault it is part of that fault."""
    injected = {"VLLM_SERVICE_HOST": "10.0.0.12", "VLLM_SERVICE_PORT": "8000", "VLLM_PORT_8000_TCP": "tcp://10.0.0.12:8000"}
    assert [("collision", "VLLM_PORT_8000_TCP", False)] == told(environment_faults(vllm, injected, KNOWN))
    assert [("collision", "VLLM_PORT", True)] == told(environment_faults(vllm, {**injected, "VLLM_PORT": "tcp://10.0.0.12:8000"}, KNOWN))


def test_the_api_port_in_vllm_port_is_suspect(vllm: Framework) -> None:
    """``VLLM_PORT`` equal to the API's port is told, and is no proof."""
    assert [("collision", "VLLM_PORT", False)] == told(environment_faults(vllm, {"VLLM_PORT": "8000"}, KNOWN, port="8000"))
    assert [] == told(environment_faults(vllm, {"VLLM_PORT": "8000"}, KNOWN, port="8001"))


@pytest.mark.parametrize(
    ("name", "value"), [("VLLM_PORT", "eight"), ("VLLM_LOGGING_LEVEL", "verbose"), ("VLLM_CPU_KVCACHE_SPACE", "4GB"), ("LOCAL_RANK", "")]
)
def test_nonsense_is_proof(vllm: Framework, name: str, value: str) -> None:
    """A value that the framework cannot convert ends the start."""
    assert [("collision", name, True)] == told(environment_faults(vllm, {name: value}, KNOWN))


def test_a_near_miss_is_told_with_its_neighbour(vllm: Framework) -> None:
    """A misspelt name is told with the one that is near, and is no proof: it is ignored with a warning."""
    (fault,) = environment_faults(vllm, {"VLLM_LOGING_LEVEL": "DEBUG"}, KNOWN)
    assert ("unknown-name", "VLLM_LOGGING_LEVEL", False) == (fault.signs[0].value, fault.signs[0].parameters["near"], fault.established)


def test_without_known_names_none_is_called_unknown(vllm: Framework) -> None:
    """Where nobody knows what the release reads, no name is called unknown."""
    assert () == environment_faults(vllm, {"VLLM_LOGING_LEVEL": "DEBUG"})
