"""Makes a scene real: its files, models and environments in a scratch folder, its ports held; and the world that meets it."""

import asyncio
import secrets
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from agent.clock import SystemClock
from agent.world import LiveWorld
from evals.mutate.scene import Edit, Model, Overlay, Scene
from evals.neutral import Names, NeutralTarget
from evals.warm import WarmTarget
from probes.targets.local import LocalTarget
from transcripts.errors import UsageError
from transcripts.redact import Vault

_HOLDER = ("python3", "-m", "http.server", "--bind", "127.0.0.1")
_PATIENCE = 100
HANG = 240.0
"""Seconds without progress that are a hang in a recording: a machine that records is busy, and slow is no hang."""


class Stage:
    """Where scenes are made real: `scratch` for their files, `installs` for the frameworks (``installs/NAME`` is ``/opt/NAME``)."""

    def __init__(self, scratch: Path, installs: Path) -> None:
        self._scratch = scratch
        self._installs = installs
        self._key = "sk-" + secrets.token_hex(24)
        self._target = WarmTarget(LocalTarget("run"))

    def names(self, scene: Scene) -> Names:
        """The neutral paths of a scene."""
        every = {f"/opt/{path.name}": str(path) for path in self._installs.iterdir() if (path / "bin").is_dir()}
        return Names({"/srv": str(self._root(scene)), **every})

    def _root(self, scene: Scene) -> Path:
        return self._scratch / "scenes" / scene.state

    def has(self, scene: Scene) -> bool:
        """Whether the scene's framework is installed."""
        return (self._installs / f"{scene.install}.done").exists()

    def build(self, scene: Scene) -> None:
        """Write the scene's files and folders, once.

        Raises:
            UsageError: its framework is not installed, or an environment cannot be made.
        """
        root = self._root(scene)
        if not self.has(scene):
            raise UsageError(f"{scene.install} is not built in {self._installs}; make frameworks builds it")
        if (root / ".built").exists():
            return
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir(parents=True)
        names = self.names(scene)
        for path, text in scene.files.items():
            file = Path(names.real(path))
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            file.chmod(0o755 if text.startswith("#!") else 0o644)
        for model in scene.models:
            self._model(model, Path(names.real(model.path)))
        for overlay in scene.overlays:
            self._overlay(overlay, Path(names.real(overlay.path)))
        (root / ".built").touch()

    def _model(self, model: Model, folder: Path) -> None:
        shutil.copytree(self._installs / "models" / model.source, folder)
        for edit in model.edits:
            _edit(folder, edit)

    def _overlay(self, overlay: Overlay, folder: Path) -> None:
        install = self._installs / overlay.install
        python = install / "bin" / "python"
        subprocess.run([python, "-m", "venv", "--without-pip", folder], check=True, capture_output=True)
        site = next(folder.glob("lib/python3*/site-packages"))
        inner = next(install.glob("lib/python3*/site-packages"))
        (site / "base.pth").write_text(f"{inner}\n", encoding="utf-8")
        if overlay.packages:
            pip = ["-m", "pip", "--disable-pip-version-check", "-q", "install", "--no-deps", "--target", str(site), *overlay.packages]
            done = subprocess.run([str(python), *pip], check=False, capture_output=True, text=True)
            if done.returncode != 0:
                raise UsageError(f"cannot install {' '.join(overlay.packages)}: {done.stderr[-500:]}")
        for name, text in overlay.modules.items():
            file = site / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        for program in overlay.programs:
            text = (install / "bin" / program).read_text(encoding="utf-8")
            copy = folder / "bin" / program
            copy.write_text(text.replace(str(python), str(folder / "bin" / "python")).replace(str(python) + "3", str(folder)), encoding="utf-8")
            copy.chmod(0o755)

    async def close(self) -> None:
        """End what was kept warm. To be called on every way out."""
        await self._target.cool()

    @asynccontextmanager
    async def world(self, scene: Scene, folder: Path) -> AsyncIterator[LiveWorld]:
        """The live world of a scene, while its ports are held; everything is ended on the way out."""
        self.build(scene)
        vault = Vault()
        environment = {name: text.replace("$LITELLM_MASTER_KEY", self._key) for name, text in scene.environment.items()}
        vault.learn_environment(environment)
        names = self.names(scene)
        target = NeutralTarget(self._target, names, environment)
        world = LiveWorld(folder=folder, clock=SystemClock(), vault=vault, hang_seconds=HANG, target=target, scan=names.scan)
        holders = [await _held(port) for port in scene.holds]
        try:
            yield world
        finally:
            await world.close()
            for holder in holders:
                holder.kill()
                await holder.wait()


async def _held(port: int) -> asyncio.subprocess.Process:
    """A process that listens on `port`, once it does."""
    quiet = asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(*_HOLDER, str(port), executable=sys.executable, stdout=quiet, stderr=quiet, cwd="/")
    for _ in range(_PATIENCE):
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.1)
            continue
        writer.close()
        return process
    process.kill()
    raise UsageError(f"cannot hold port {port} for the scene")


def _edit(folder: Path, edit: Edit) -> None:
    file = folder / edit.file
    match edit.kind:
        case "remove":
            file.unlink()
        case "cut":
            file.write_bytes(file.read_bytes()[: edit.size])
        case "write":
            file.write_text(edit.text, encoding="utf-8")
        case "rename":
            file.rename(folder / edit.text)
        case "values":
            known = msgspec.json.decode(file.read_bytes())
            file.write_bytes(msgspec.json.encode(known | edit.values))
