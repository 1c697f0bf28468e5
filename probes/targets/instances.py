"""What a container runtime tells of one instance of a container: its command after all merging, how it ended, its limits and probes.

Pure: reads what ``docker inspect`` and ``kubectl get pod -o json`` print. A field of another type than expected is as one that is not there.
"""

import json
from collections.abc import Mapping
from typing import Any

from msgspec import field

from transcripts.records import Record, Sign

_MIB = 1024 * 1024
_USUAL_SHM = 64 * _MIB
"""What docker gives a container where nothing is said."""
_KILLED = 137
_TERMINATED = 143


class Instance(Record, frozen=True, kw_only=True):
    """One instance. `whole` is False where the words of the image stand before `argv` (a pod without a command); `exit_status` None while it runs.

    `reason` is the runtime's own word (``OOMKilled``, ``Error``, ``CrashLoopBackOff``), `oom_killed` its claim, which can be wrong. `memory` and
    `shared_memory` are limits in bytes (0: none told). `patience` are the seconds after which a probe has the server killed, by the probe's name.
    `previous` says that what is told is of the instance before the one that is there now.
    """

    argv: tuple[str, ...] = ()
    whole: bool = True
    env: dict[str, str] = field(default_factory=dict)
    cwd: str | None = None
    image: str = ""
    running: bool = False
    exit_status: int | None = None
    reason: str = ""
    message: str = ""
    oom_killed: bool | None = None
    restarts: int = 0
    memory: int = 0
    shared_memory: int = 0
    patience: dict[str, float] = field(default_factory=dict)
    previous: bool = False


class Unreadable(ValueError):
    """The runtime's answer is no JSON of the known form."""


def of_inspect(text: str) -> Instance:
    """The instance that ``docker inspect --type container`` or ``podman inspect`` tells of.

    Raises:
        Unreadable: it tells of none.
    """
    value = _loaded(text)
    one = _mapping(value[0]) if isinstance(value, list) and value else _mapping(value)
    config, state, host = _mapping(one.get("Config")), _mapping(one.get("State")), _mapping(one.get("HostConfig"))
    if not state:
        raise Unreadable("no State in it")
    path = one.get("Path")
    arguments = _texts(one.get("Args"))
    argv = (path, *arguments) if isinstance(path, str) and path else (*_texts(config.get("Entrypoint")), *_texts(config.get("Cmd")))
    running = state.get("Running") is True or state.get("Status") == "running"
    oom = state.get("OOMKilled")
    return Instance(
        argv=argv,
        env=dict(word.split("=", 1) for word in _texts(config.get("Env")) if "=" in word),
        cwd=_text(config.get("WorkingDir")) or None,
        image=_text(config.get("Image")) or _text(one.get("ImageName")),
        running=running,
        exit_status=None if running else _number(state.get("ExitCode")),
        reason="OOMKilled" if oom is True else _text(state.get("Status")),
        message=_text(state.get("Error")),
        oom_killed=oom if isinstance(oom, bool) else None,
        restarts=_number(one.get("RestartCount")) or 0,
        memory=_number(host.get("Memory")) or 0,
        shared_memory=_number(host.get("ShmSize")) or 0,
    )


def of_pod(text: str, container: str = "") -> Instance:
    """The instance of a pod's container that ``kubectl get pod NAME -o json`` tells of; the last that ended, where it is being restarted.

    Raises:
        Unreadable: it tells of no such container.
    """
    pod = _mapping(_loaded(text))
    spec, status = _mapping(pod.get("spec")), _mapping(pod.get("status"))
    containers = [_mapping(item) for item in _list(spec.get("containers"))]
    one = next((item for item in containers if not container or item.get("name") == container), None)
    if one is None:
        raise Unreadable(f"the pod has no container {container}" if container else "the pod has no containers")
    states = [_mapping(item) for item in _list(status.get("containerStatuses"))]
    state = next((item for item in states if item.get("name") == one.get("name")), {})
    now, before = _mapping(state.get("state")), _mapping(state.get("lastState"))
    waiting, ended = _mapping(now.get("waiting")), _mapping(now.get("terminated")) or _mapping(before.get("terminated"))
    running = "running" in now
    return Instance(
        argv=(*_texts(one.get("command")), *_texts(one.get("args"))),
        whole=bool(one.get("command")),
        env={str(e["name"]): str(e["value"]) for e in map(_mapping, _list(one.get("env"))) if "name" in e and isinstance(e.get("value"), str)},
        cwd=_text(one.get("workingDir")) or None,
        image=_text(one.get("image")),
        running=running,
        exit_status=_number(ended.get("exitCode")),
        reason=_text(ended.get("reason")) or _text(waiting.get("reason")) or _text(status.get("reason")),
        message=_text(waiting.get("message")) or _text(ended.get("message")) or _text(status.get("message")),
        oom_killed=ended.get("reason") == "OOMKilled" if ended else None,
        restarts=_number(state.get("restartCount")) or 0,
        memory=_quantity(_mapping(_mapping(one.get("resources")).get("limits")).get("memory")),
        patience={name: _patience(_mapping(one.get(name))) for name in ("startupProbe", "livenessProbe") if isinstance(one.get(name), dict)},
        previous="terminated" not in now and bool(ended),
    )


def signs_of(instance: Instance) -> tuple[Sign, ...]:
    """What the runtime says of the end, as evidence to be weighed: that nothing ran out of memory is no proof of it."""
    small = 0 < instance.shared_memory < _USUAL_SHM
    room = (Sign(variable="space", value="small-shm", parameters={"path": "/dev/shm"}, source="runtime"),) if small else ()  # noqa: S108
    return room if instance.exit_status is None else (*room, *_end(instance))


def _end(instance: Instance) -> tuple[Sign, ...]:
    if instance.oom_killed:
        return (_sign("oom-killed", status=str(instance.exit_status), limit=_size(instance.memory)),)
    if instance.exit_status not in (_KILLED, _TERMINATED, 128 - _KILLED, 128 - _TERMINATED):
        return (_sign("exited", status=str(instance.exit_status)),)
    if instance.reason in ("Evicted", "DeadlineExceeded", "Preempted"):
        return (_sign("evicted", status=str(instance.exit_status), reason=instance.reason),)
    if instance.patience:
        probe, seconds = min(instance.patience.items(), key=lambda item: item[1])
        return (_sign("probed", status=str(instance.exit_status), probe=probe, seconds=f"{seconds:g}"),)
    if instance.memory:
        return (_sign("killed-limited", status=str(instance.exit_status), limit=_size(instance.memory)),)
    return (_sign("killed", status=str(instance.exit_status)),)


def told(instance: Instance) -> str:
    """The runtime's account of the end in a sentence."""
    limits = [f"memory limit {_size(instance.memory)}"] if instance.memory else []
    limits += [f"shared memory {_size(instance.shared_memory)}"] if instance.shared_memory else []
    limits += [f"{name} kills after {seconds:g} s" for name, seconds in instance.patience.items()]
    ended = "it runs" if instance.exit_status is None else f"it ended with status {instance.exit_status}"
    which = "the instance before this one: " if instance.previous else ""
    restarts = f", {instance.restarts} restarts" if instance.restarts else ""
    why = f" ({instance.reason})" if instance.reason else ""
    return f"the runtime says: {which}{ended}{why}{restarts}; {', '.join(limits) or 'no limits told'}"


def _sign(value: str, **parameters: str) -> Sign:
    return Sign(variable="supervisor", value=value, parameters={name: text for name, text in parameters.items() if text}, source="runtime")


def _patience(probe: Mapping[str, Any]) -> float:
    """Seconds from the start until a probe that never succeeds has the container killed (Kubernetes' own defaults)."""
    delay = _number(probe.get("initialDelaySeconds")) or 0
    return float(delay + (_number(probe.get("periodSeconds")) or 10) * (_number(probe.get("failureThreshold")) or 3))


_UNITS = {"Ki": 1024, "Mi": _MIB, "Gi": 1024 * _MIB, "Ti": _MIB * _MIB, "k": 1000, "M": 10**6, "G": 10**9, "T": 10**12, "": 1}


def _quantity(value: object) -> int:
    """A Kubernetes quantity in bytes; 0 where it is none."""
    text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    number = text.rstrip("KMGTkiB")
    unit = text[len(number) :]
    return int(float(number) * _UNITS[unit]) if unit in _UNITS and number.replace(".", "", 1).isdigit() else 0


def _size(size: int) -> str:
    return f"{size / _MIB:.4g} MiB" if size >= _MIB else f"{size} bytes" if size else ""


def _loaded(text: str) -> object:
    try:
        value: object = json.loads(text)
    except ValueError as error:
        raise Unreadable(f"it is no JSON: {error}") from error
    return value


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _texts(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,) if value else ()
    return tuple(item for item in _list(value) if isinstance(item, str))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
