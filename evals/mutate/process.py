"""Mutators of the families ``process``, ``memory`` and ``environment``: healthy software, started in the wrong way or place."""

import shlex
from collections.abc import Iterator

from msgspec import structs

from evals.mutate.scene import Mutated, Mutator, Scene, direct, quoted, replaced, typed, value_of, with_words
from evals.world import Difficulty
from transcripts.records import Launch


def _made(scene: Scene, cause: str, kind: str, variant: str, summary: str, *also: str, difficulty: Difficulty = "medium") -> Mutated:
    return Mutated(scene=scene, faults=((cause, *also),), kind=kind, variant=variant, summary=summary, difficulty=difficulty)


def occupy(scene: Scene) -> Iterator[Mutated]:
    """Another process listens on the port."""
    port = int(value_of(scene, "--port"))
    yield _made(
        structs.replace(scene, holds=(port,)), "process/port-in-use", "occupy-port", "http", "an HTTP server holds the port", difficulty="easy"
    )


def misname(scene: Scene) -> Iterator[Mutated]:
    """The program is not found, or is not one."""
    program = scene.argv[0]
    rest = scene.argv[1:]
    for variant, name in (("typo", program + "d"), ("path", f"/usr/local/bin/{program}"), ("venv", f"/srv/venv/bin/{program}")):
        yield _made(direct(scene, (name, *rest)), "process/command-not-found", "rename-program", variant, f"there is no {name}", difficulty="easy")
    yield _made(
        typed(scene, quoted((program + "-server", *rest))), "process/command-not-found", "rename-program", "shell", "the shell finds no such program"
    )
    path = {**scene.environment, "PATH": "/usr/local/bin:/usr/bin:/bin"}
    yield _made(
        structs.replace(scene, environment=path),
        "process/command-not-found",
        "path",
        "not-active",
        "the environment is not active",
        "version/wrong-interpreter",
    )
    yield _made(
        direct(scene, ("exec", *scene.argv)),
        "process/command-not-found",
        "rename-program",
        "builtin",
        "exec is the shell's, no program",
        "process/wrong-entrypoint",
        "quoting/command-as-string",
        difficulty="hard",
    )


def wrap(scene: Scene) -> Iterator[Mutated]:
    """An entrypoint of its own ends the server, or already holds a part of the command."""
    patience = {"litellm": "3", "vllm": "9", "sglang": "8"}[scene.framework]
    killed = "process/killed-by-supervisor"
    yield _made(
        direct(scene, ("timeout", "-s", "KILL", patience, *scene.argv)), killed, "kill-during-load", "kill", "killed while it loads", "memory/host"
    )
    yield _made(direct(scene, ("timeout", patience, *scene.argv)), killed, "kill-during-load", "term", "ended while it loads")
    entry = f'#!/bin/sh\nexec {quoted(scene.argv[: 2 if scene.framework != "litellm" else 1])} "$@"\n'
    files = {**scene.files, "/srv/entrypoint.sh": entry}
    yield _made(
        direct(scene, ("/srv/entrypoint.sh", *scene.argv), files=files),
        *("process/wrong-entrypoint", "wrong-entrypoint", "twice", "the entrypoint holds the program already", "flag/wrong-command"),
        difficulty="hard",
    )


def stale_log(scene: Scene) -> Iterator[Mutated]:
    """What is read is the log of an earlier launch, whose fault is mended in the one that is told."""
    flag = "--speculative-config"
    value = value_of(scene, flag)
    if value:
        line = quoted(scene.argv).replace(shlex.quote(value), value)
        before = Launch(argv=("bash", "-c", line), shell=line)
        stale = structs.replace(direct(scene, scene.argv), log=before)
        yield _made(
            stale, "process/stale-observation", "stale-log", "json", "the log is that of the launch before the JSON was quoted", difficulty="hard"
        )
        path = structs.replace(direct(scene, replaced(scene.argv, value, "/srv/settings.json")), log=before)
        files = {**scene.files, "/srv/settings.json": value}
        yield _made(
            structs.replace(path, files=files),
            "process/stale-observation",
            "stale-log",
            "path",
            "the log is that of the launch before",
            difficulty="hard",
        )


def misled(scene: Scene) -> Iterator[Mutated]:
    """Variables of the environment that mean something else, and limits of the process."""
    if scene.framework == "vllm" and "--speculative-config" not in scene.argv:
        taken = {**scene.environment, "VLLM_PORT": "tcp://10.0.0.7:8000"}
        yield _made(
            structs.replace(scene, environment=taken), "environment/variable-collision", "variable", "service", "a Kubernetes Service sets VLLM_PORT"
        )
        level = direct(scene, ("env", "VLLM_LOGGING_LEVEL=verbose", *scene.argv))
        yield _made(level, "config/invalid-value", "variable", "level", "no such logging level", "environment/variable-collision")
        space = direct(scene, ("env", "VLLM_CPU_KVCACHE_SPACE=2GiB", *scene.argv))
        yield _made(space, "config/invalid-value", "variable", "unit", "a number with a unit", "environment/variable-collision")
        gloo = direct(scene, ("env", "GLOO_SOCKET_IFNAME=eth9", *scene.argv))
        yield _made(gloo, "environment/collective", "interface", "gloo", "there is no such network interface")
        few = typed(scene, "ulimit -n 64; " + quoted(scene.argv))
        yield _made(few, "environment/limits", "limits", "files", "64 open files")
        blocks = with_words(scene, "--block-size", "128", "--num-gpu-blocks-override", "1")
        yield _made(direct(scene, blocks), "memory/kv-cache", "kv-cache", "blocks", "one block of cache", "config/context-too-long")
    if scene.framework == "sglang":
        argv = tuple(word for word in scene.argv if word not in ("--device", "cpu"))
        yield _made(direct(scene, argv), "environment/no-device", "no-device", "default", "no accelerator, and none is asked for")
        cuda = replaced(scene.argv, "cpu", "cuda")
        yield _made(direct(scene, cuda), "environment/no-device", "no-device", "cuda", "no accelerator", "environment/driver")
    if scene.framework == "litellm":
        database = {**scene.environment, "DATABASE_URL": "postgresql://proxy@127.0.0.1:9/proxy"}
        yield _made(
            structs.replace(scene, environment=database),
            "version/dependency",
            "database",
            "prisma",
            "a database is wanted, its client is not installed",
            "process/service-down",
        )


MUTATORS: tuple[Mutator, ...] = (occupy, misname, wrap, stale_log, misled)
