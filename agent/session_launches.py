"""Which commands of a session launch a server, and how such a launch arrives: read with the files that the session itself wrote. Pure."""

import io
import re
from pathlib import PurePosixPath

from msgspec import structs

from agent import checking, evidence
from agent import session_commands as commands
from agent.reading.scan import scan
from agent.reading.symptom import read_symptom
from probes.frameworks.catalogue import by_name, reached
from probes.frameworks.framework import Framework
from probes.probe import Situation
from transcripts.importers.session import Session, Step
from transcripts.records import Excerpt, Launch, Symptom

_CLIENTS = frozenset(("docker", "podman", "nerdctl", "kubectl", "systemctl", "helm"))
_ASKS = frozenset(("-h", "--help", "-v", "--version"))
_CONTAINER = re.compile(r"\b(?:docker|podman|nerdctl)\s+run\b[^\n;]*?\b(vllm|sglang|litellm)")

_SERVICE = re.compile(
    r"\b(?:docker[ -]compose|podman[ -]compose|nerdctl compose)\b[^\n;|&]*\s(?:up|restart)\b|\bsystemctl\s+(?:--\S+\s+)*(?:re)?start\b"
    r"|\bkubectl\s+(?:\S+\s+)*?(?:apply|rollout\s+restart)\b|\bhelm\s+(?:install|upgrade)\b"
)


def framework_of(session: Session) -> str:
    """The framework that a session is about: that of its first launch, else the first that a command names, else that a command's output names."""
    steps = [step for step in session.steps if step.kind == "command"]
    reader = Launches((), "")
    for step in session.steps:
        reader.learn(step)
        situation = reader.situated(step) if step.kind == "command" else None
        if situation is not None and situation.framework is not None:
            return situation.framework.name
    texts = (*(step.text for step in steps), *(step.output for step in steps))
    return next((found.name for text in texts if (found := commands.framework_named(text))), "")


class Launches:
    """Reads the commands of one session in their order. `secrets` are the names that stand for hidden values, `framework` the one it is about.

    `release` is the one that the session has shown to be installed by now (empty: not yet).
    """

    def __init__(self, secrets: tuple[str, ...], framework: str) -> None:
        self._secrets = secrets
        self._framework = framework
        self._files: dict[str, str | None] = {}
        self.release = ""

    def launch(self, step: Step) -> Launch:
        """The step's command as a launch."""
        named = tuple(name for name in self._secrets if f"${name}" in step.text)
        return Launch(argv=("bash", "-c", step.text), shell=step.text, secrets=named)

    def situated(self, step: Step) -> Situation | None:
        """The step's command as a launch, or None where it launches no server."""
        use = commands.use_of(step.text)
        launch = self.launch(step)
        situation = self._known(launch)
        beyond = next((layer.text for layer in reversed(situation.arrival.layers) if layer.kind == "ssh" and layer.text), "")
        if situation.entry is None and beyond and not situation.arrival.certain:
            # what a file of this session holds is known here, whatever host it was written on
            situation = self._known(structs.replace(launch, argv=("bash", "-c", beyond), shell=beyond))
        if situation.entry is not None:
            program = PurePosixPath(situation.arrival.argv[0]).name
            asks = use in ("help", "version") and bool(_ASKS & {word.partition("=")[0] for word in situation.options})
            return situation if situation.options and not asks and not (situation.entry.start and program in _CLIENTS) else None
        named = _CONTAINER.search(step.text)
        service = _SERVICE.search(step.text) is not None
        unread = bool(situation.data.get("needs")) and use == "other"
        framework = by_name(named[1]) if named else by_name(self._framework) if unread or service else None
        if framework is None or not (named or service or self._speaks(step, framework)):
            return None
        return structs.replace(situation, framework=framework)

    def _speaks(self, step: Step, framework: Framework) -> bool:
        """Whether a script whose text is not known evidently ran the server: its output is that of one."""
        symptom = symptom_of(step, framework)[0]
        return framework.name in step.output and (bool(reached(framework, step.output)) or evidence.signature(symptom.signs)[0] not in ("", "none"))

    def _known(self, launch: Launch) -> Situation:
        """The launch with every file of the session that it needs, found by path or, where only one has that name, by name."""
        files = dict(self._files)
        while True:
            situation = checking.situate(launch, self._framework, self.release, {"files-read": files}, can_ask=False)
            fresh = {path: text for path in situation.data["needs"] if path not in files and (text := self._named(path)) is not None}
            if not fresh:
                return situation
            files |= fresh

    def _named(self, path: str) -> str | None:
        name = PurePosixPath(path).name
        texts = {text for known, text in self._files.items() if PurePosixPath(known).name == name}
        return texts.pop() if len(texts) == 1 else None

    def learn(self, step: Step) -> None:
        """Take in the files that a step writes."""
        if step.kind == "write":
            self._files[step.path] = step.text
        elif step.kind == "edit" and (text := self._files.get(step.path)) is not None:
            self._files[step.path] = text.replace(step.text, step.output, 1)
        elif step.kind == "command":
            self._files |= dict(commands.files_written(step.text))
            self._files |= {to: self._files[path] for path, to in commands.files_copied(step.text) if path in self._files}


def symptom_of(step: Step, framework: Framework | None) -> tuple[Symptom, Excerpt]:
    """What a command's output proves, and the part of it that this is read from."""
    excerpt = scan(io.BytesIO(step.output.encode("utf-8", "surrogatepass")), framework)
    status = step.exit_status if commands.own_status(step.text) and step.exit_status else None
    return read_symptom(excerpt, framework, exit_status=status, ended=True), excerpt
