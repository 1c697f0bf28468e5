"""Mutators of the family ``version``: another interpreter, an older dependency, a broken install."""

from collections.abc import Iterator

from msgspec import structs

from evals.mutate.scene import Mutated, Mutator, Overlay, Scene, direct, quoted, typed

_OLDER: dict[str, tuple[tuple[str, str], ...]] = {
    "litellm": (("openai", "openai==0.28.1"), ("pydantic", "pydantic==1.10.13"), ("click", "click==6.7"), ("httpx", "httpx==0.13.3")),
    "vllm": (("transformers", "transformers==4.30.2"), ("pydantic", "pydantic==1.10.13"), ("fastapi", "fastapi==0.70.0")),
    "sglang": (("transformers", "transformers==4.30.2"),),
}
_PLAIN = {"litellm": "litellm", "vllm": "vllm", "sglang": "sglang"}
_MODULES = {
    "litellm": ("litellm.proxy.proxy_cli",),
    "vllm": ("vllm.entrypoints.openai.api_server",),
    "sglang": ("sglang.launch_server",),
}


def _made(scene: Scene, cause: str, kind: str, variant: str, summary: str, *also: str) -> Mutated:
    return Mutated(scene=scene, faults=((cause, *also),), kind=kind, variant=variant, summary=summary, difficulty="medium")


def swap_interpreter(scene: Scene) -> Iterator[Mutated]:
    """Another Python runs the server than the one that has it."""
    program = scene.argv[0]
    module = _MODULES[scene.framework][0]
    options = scene.argv[1:] if scene.framework == "litellm" else scene.argv[2:]
    if scene.framework == "vllm":
        options = ("--model", *options)
    wrong = "version/wrong-interpreter"
    yield _made(
        direct(scene, ("/usr/bin/python3", "-m", module, *options)),
        wrong,
        "swap-interpreter",
        "system",
        "the system's Python",
        "version/broken-install",
    )
    script = "#!/usr/bin/python3\n" + f"import sys\nfrom {_console(scene)} import {_function(scene)}\nsys.exit({_function(scene)}())\n"
    files = {**scene.files, f"/srv/bin/{program}": script}
    path = {**scene.environment, "PATH": "/srv/bin:" + scene.environment["PATH"]}
    yield _made(
        structs.replace(scene, files=files, environment=path),
        wrong,
        "swap-interpreter",
        "shebang",
        "the first on PATH has another Python",
        "version/broken-install",
    )
    gone = {**scene.files, f"/srv/bin/{program}": script.replace("/usr/bin/python3", "/srv/venv/bin/python3")}
    yield _made(
        structs.replace(scene, files=gone, environment=path),
        wrong,
        "swap-interpreter",
        "gone",
        "its Python is gone",
        "process/command-not-found",
        "version/broken-install",
    )


def _console(scene: Scene) -> str:
    return {"litellm": "litellm", "vllm": "vllm.entrypoints.cli.main", "sglang": "sglang.cli.main"}[scene.framework]


def _function(scene: Scene) -> str:
    return "run_server" if scene.framework == "litellm" else "main"


def downgrade(scene: Scene) -> Iterator[Mutated]:
    """One dependency is older than the server can use."""
    if "--speculative-config" in scene.argv or scene.install == "vllm-0.20.1":
        return
    for name, requirement in _OLDER[scene.framework]:
        overlay = Overlay(path="/srv/env", install=scene.install, packages=(requirement,), programs=(scene.argv[0],))
        path = {**scene.environment, "PATH": "/srv/env/bin:" + scene.environment["PATH"]}
        made = structs.replace(scene, overlays=(overlay,), environment=path)
        yield _made(made, "version/dependency", "downgrade", name, requirement, "version/broken-install")


def break_install(scene: Scene) -> Iterator[Mutated]:
    """A folder of the same name as a package comes first, or a module of it is gone."""
    module = _MODULES[scene.framework][0]
    package = module.partition(".")[0]
    options = scene.argv[1:] if scene.framework == "litellm" else scene.argv[2:]
    if scene.framework == "vllm":
        options = ("--model", *options)
    files = {**scene.files, f"/srv/src/{package}/__init__.py": '"""A checkout."""\n'}
    line = f"cd /srv/src && {quoted((f'/opt/{scene.install}/bin/python', '-m', module, *options))}"
    yield _made(
        typed(scene, line, files=files),
        "version/broken-install",
        "shadow",
        "checkout",
        "a checkout in the folder comes first",
        "version/wrong-interpreter",
    )
    if "--speculative-config" in scene.argv or scene.install == "vllm-0.20.1":
        return
    hidden = {"litellm": "backoff", "vllm": "cloudpickle", "sglang": "orjson"}[scene.framework]
    text = f"raise ModuleNotFoundError(\"No module named '{hidden}'\", name='{hidden}')\n"
    overlay = Overlay(path="/srv/env", install=scene.install, modules={f"{hidden}.py": text}, programs=(scene.argv[0],))
    path = {**scene.environment, "PATH": "/srv/env/bin:" + scene.environment["PATH"]}
    made = structs.replace(scene, overlays=(overlay,), environment=path)
    yield _made(made, "version/dependency", "downgrade", "absent", f"{hidden} is not there", "version/broken-install")


MUTATORS: tuple[Mutator, ...] = (swap_interpreter, downgrade, break_install)
