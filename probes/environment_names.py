"""Judges the environment's variables that the framework reads: those that collide with something else, hold nonsense, or are misspelt.

Pure: the environment comes from `probes.environment` and the launch's own assignments, the known names from the framework's source.
"""

import re
from collections.abc import Iterator, Mapping

from rapidfuzz import process
from rapidfuzz.distance import OSA

from probes.frameworks.framework import Framework
from transcripts.records import Fault, Sign

ORDER = 35
"""When such a fault kills: after the arguments, before the engine."""

_URI = re.compile(r"^[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_INJECTED = re.compile(r"^[A-Z0-9_]+?_(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT(?:_\d+_(?:TCP|UDP)(?:_(?:ADDR|PORT|PROTO))?)?)$")
_INTEGER = re.compile(r"^[+-]?\d+$")
_LEVELS = frozenset({"CRITICAL", "FATAL", "ERROR", "WARN", "WARNING", "INFO", "DEBUG", "NOTSET"})

INTEGERS = frozenset(
    {
        # converted by a bare int(), so that anything else ends the start (vllm/envs.py, 0.20 and 0.29)
        "VLLM_ENGINE_ITERATION_TIMEOUT_S",
        "VLLM_ENGINE_READY_TIMEOUT_S",
        "VLLM_RINGBUFFER_WARNING_INTERVAL",
        "VLLM_TRACE_FUNCTION",
        "VLLM_CPU_KVCACHE_SPACE",
        "VLLM_CPU_NUM_OF_RESERVED_CPU",
        "VLLM_IMAGE_FETCH_TIMEOUT",
        "VLLM_VIDEO_FETCH_TIMEOUT",
        "VLLM_AUDIO_FETCH_TIMEOUT",
        "VLLM_MAX_AUDIO_CLIP_FILESIZE_MB",
        "VLLM_HTTP_TIMEOUT_KEEP_ALIVE",
        "VLLM_RPC_TIMEOUT",
        "VLLM_KEEP_ALIVE_ON_ENGINE_DEATH",
        "VLLM_DP_RANK",
        "VLLM_DP_RANK_LOCAL",
        "VLLM_DP_SIZE",
        "VLLM_DP_MASTER_PORT",
        "LOCAL_RANK",
    }
)


def environment_faults(framework: Framework, environment: Mapping[str, str], known: tuple[str, ...] = (), port: str = "") -> tuple[Fault, ...]:
    """The faults that the environment shows.

    `environment` is what the server program will see; `known` the names that the installed framework reads (empty: not known, then no name is called
    unknown); `port` the port on which the API will listen. Only a variable that is sure to end the start is `established`.
    """
    faults: list[Fault] = []
    injected: list[str] = []
    concerned = (*framework.environment_prefixes, "VLLM_") if framework.name == "vllm" else framework.environment_prefixes
    for name, value in sorted(item for item in environment.items() if item[0].startswith(concerned) or item[0] in INTEGERS):
        if framework.name == "vllm" and _by_service(name, known):
            injected.append(name)
        elif framework.name == "vllm" and (name.startswith("VLLM_") or name in INTEGERS):
            faults += _of_vllm(name, value, known, port)
        elif framework.environment_prefixes and name.startswith(framework.environment_prefixes):
            faults += _unknown(name, value, known, framework.environment_prefixes)
    if injected and not any(sign.parameters.get("origin") == "kubernetes" for fault in faults for sign in fault.signs):
        faults.append(_of_service(injected, environment))
    return tuple(faults)


def _by_service(name: str, known: tuple[str, ...]) -> bool:
    """Whether a name is one that Kubernetes sets for a Service, and none that vLLM itself reads."""
    if not name.startswith("VLLM_") or _INJECTED.match(name) is None:
        return False
    return not (name in known or name == "VLLM_PORT" or name in INTEGERS or name.startswith("VLLM_DP_"))


def _of_service(names: list[str], environment: Mapping[str, str]) -> Fault:
    first = names[0]
    text = f"a Kubernetes Service set {', '.join(names)}: vLLM warns of each and goes on; VLLM_PORT, which often comes with them, would end the start"
    return Fault(signs=(_collision(first, environment[first], origin="kubernetes", harmless="yes"),), order=ORDER, text=text, established=False)


def _of_vllm(name: str, value: str, known: tuple[str, ...], port: str) -> Iterator[Fault]:
    if name == "VLLM_PORT":
        yield from _of_port(value, port)
    elif name == "VLLM_LOGGING_LEVEL" and value.upper() not in _LEVELS:
        text = f"VLLM_LOGGING_LEVEL={value} is no level of logging; one of DEBUG, INFO, WARNING, ERROR, CRITICAL is"
        yield Fault(signs=(_nonsense(name, value, "level"),), order=5, text=text)
    elif name in INTEGERS and not _INTEGER.match(value.strip()):
        yield Fault(signs=(_nonsense(name, value, "int"),), order=ORDER, text=f"{name}={value} should be an integer")
    else:
        yield from _unknown(name, value, known, ("VLLM_",))


def _of_port(value: str, port: str) -> Iterator[Fault]:
    if _URI.match(value):
        text = f"VLLM_PORT={value} is the address of a Kubernetes Service named vllm, where vLLM expects a port number of its own"
        yield Fault(signs=(_collision("VLLM_PORT", value, origin="kubernetes"),), order=ORDER, text=text)
    elif not _INTEGER.match(value.strip()):
        yield Fault(signs=(_collision("VLLM_PORT", value),), order=ORDER, text=f"VLLM_PORT={value} should be a port number")
    elif port and value.strip() == port:
        text = f"VLLM_PORT={value} is the port of vLLM's internal messages, and the API is to listen on the same one; --port sets the API's"
        yield Fault(signs=(_collision("VLLM_PORT", value, origin="api-port"),), order=ORDER, text=text, established=False)


def _unknown(name: str, value: str, known: tuple[str, ...], prefixes: tuple[str, ...]) -> Iterator[Fault]:
    if not known or name in known:
        return
    candidates = [other for other in known if other.startswith(prefixes)]
    best = process.extractOne(name, candidates, scorer=OSA.distance, score_cutoff=2)
    if best is None:
        return
    parameters = {"name": name, "value": value, "near": best[0]}
    sign = Sign(variable="environment", value="unknown-name", parameters=parameters, source="check")
    yield Fault(signs=(sign,), order=ORDER, text=f"{name} is no variable that this release reads; {best[0]} is", established=False)


def _collision(name: str, value: str, **more: str) -> Sign:
    return Sign(variable="environment", value="collision", parameters={"name": name, "value": value, **more}, source="check")


def _nonsense(name: str, value: str, kind: str) -> Sign:
    return Sign(variable="environment", value="collision", parameters={"name": name, "value": value, "type": kind}, source="check")
