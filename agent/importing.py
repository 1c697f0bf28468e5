"""Another tool's session as a transcript of ours: its commands read and judged by the same parts that a triage has.

A command that launches a server is an attempt; a grep of its help, a look at a signature and a question for a version are readings, with their
controls judged; all else is noted. What was read as a launch's log and cannot be of that launch is a stale observation: it is recorded (`sent`:
``another``) and moves no belief. Nothing is executed. The steps themselves lie in the first event (`options`), so that a replay judges them again.
"""

import re
from collections.abc import Callable

import msgspec
from msgspec import structs

from agent import __version__, checking, evidence, verdict
from agent import belief as beliefs
from agent import session_commands as commands
from agent.case import Case
from agent.causes.catalogue import CAUSES
from agent.digest import own_digest
from agent.over import Over
from agent.request import Request
from agent.session_launches import Launches, framework_of, symptom_of
from agent.session_readings import Asked, installed, judged_help, judged_signature, judged_version
from probes.catalogue import PROBES
from probes.frameworks.catalogue import by_name, reached
from probes.probe import Situation
from transcripts import events
from transcripts.errors import UsageError
from transcripts.importers.session import Session, Step
from transcripts.journal import Journal
from transcripts.records import Attempt, Command, Diagnosis, Launch, Reading, Sign, Symptom, Verdict

STALE = "process/stale-observation"
_ADDRESS = re.compile(r"\b0x[0-9a-f]{8,}\b")
_NOTE = 300
_RECENT = 20


def import_session(session: Session, secrets: tuple[str, ...], journal: Journal, tell: Callable[[str], None]) -> Diagnosis:
    """Record what the session shows as events; returns the verdict. `secrets` are the names that stand for hidden values in it.

    `tell` is called with the time of each step before its events are recorded.

    Raises:
        UsageError: no command of the session launches a server.
    """
    reader = _Reader(session, secrets, journal, tell)
    return reader.read()


class _Started(msgspec.Struct):
    """A launch of the session as it is being read."""

    number: int
    launch: Launch
    situation: Situation


class _Reader:
    """The fold over a session's steps."""

    def __init__(self, session: Session, secrets: tuple[str, ...], journal: Journal, tell: Callable[[str], None]) -> None:
        self._session = session
        self._secrets = secrets
        self._journal = journal
        self._tell = tell
        self._framework = framework_of(session)
        self._launches = Launches(secrets, self._framework)
        self._help: dict[tuple[str, str], str] = {}
        self._flags: dict[str, None] = {}
        self._lines: dict[str, int] = {}
        self._logs: list[str] = []
        self._shown: list[str] = []
        self._current: _Started | None = None
        self._stale: list[Verdict] = []
        self._readings = 0
        self._case = Case(Request(verb="triage", launch=Launch(argv=()), can_ask=False), Over(), journal, CAUSES, PROBES)

    def read(self) -> Diagnosis:
        """All steps, then the verdict."""
        launches = self._all_launches()
        if not launches:
            raise UsageError("no command of this session launches a server that is known (vllm, litellm, sglang): there is nothing to tell of it")
        self._tell(next((step.at for step in self._session.steps if step.at), ""))
        self._announce(launches[min(launches)])
        for index, step in enumerate(self._session.steps):
            self._tell(step.at)
            self._take(index, step, launches)
        return self._conclude()

    def _all_launches(self) -> dict[int, Launch]:
        """The steps that launch a server, by index, with the files that the steps before them wrote."""
        found: dict[int, Launch] = {}
        for index, step in enumerate(self._session.steps):
            self._launches.learn(step)
            if step.kind == "command" and self._launches.situated(step) is not None:
                found[index] = self._launches.launch(step)
        self._launches = Launches(self._secrets, self._framework)
        return found

    def _announce(self, first: Launch) -> None:
        steps = msgspec.json.encode(self._session).decode()
        options = {"format": self._session.format, "session": steps, "secrets": " ".join(self._secrets)}
        digest = own_digest()
        started = events.RunStarted(nostart=__version__, catalogue=digest, verb="import", options=options, launch=first, framework=self._framework)
        self._case.emit(started)
        if self._session.skipped:
            self._case.emit(events.Noted(text=f"{self._session.skipped} lines of the session file could not be read and were passed over"))

    def _take(self, index: int, step: Step, launches: dict[int, Launch]) -> None:
        self._launches.learn(step)
        if step.kind != "command":
            self._note(step)
        elif index in launches:
            self._attempt(index, step, launches)
        else:
            self._answer(step)

    def _note(self, step: Step) -> None:
        texts = {"write": f"wrote {step.path}", "edit": f"edited {step.path}", "said": f"said: {step.text}", "command": f"ran: {step.text}"}
        text = " ".join(texts[step.kind].split())
        self._case.emit(events.Noted(text=text if len(text) <= _NOTE else text[: _NOTE - 1] + "…"))

    def _attempt(self, index: int, step: Step, launches: dict[int, Launch]) -> None:
        """A launch of the session, with what its own output shows."""
        situation = self._launches.situated(step)
        if situation is None:
            raise AssertionError("a step that launches is one with a situation")
        number, launch = len(self._case.attempts) + 1, launches[index]
        self._current = _Started(number, launch, situation)
        self._logs += commands.logs_written(step.text)
        rest = self._session.steps[index + 1 : min((i for i in launches if i > index), default=len(self._session.steps))]
        step = self._since(step)
        symptom, excerpt = symptom_of(step, situation.framework)
        up = any(commands.use_of(s.text) == "request" and commands.answers(s.output) for s in rest if s.kind == "command")
        failed = any(evidence.signature(symptom_of(s, situation.framework)[0].signs)[0] not in ("", "none") for s in (step, *rest) if _tells(s))
        status = step.exit_status if commands.own_status(step.text) else None
        attempt = Attempt(
            number=number,
            launch=launch,
            end="up" if up else "exited" if failed or status is not None else "stopped",
            exit_status=status,
            phases=reached(situation.framework, step.output) if situation.framework else (),
            log_bytes=excerpt.size,
            seconds=step.seconds,
        )
        self._case.emit(events.AttemptStarted(number=number, launch=launch))
        self._case.emit(events.AttemptEnded(attempt=attempt, excerpt=excerpt))
        self._case.attempts.append(attempt)
        if symptom.signs and evidence.signature(symptom.signs)[0] not in ("", "none"):
            self._judge(symptom)
        elif up:
            self._judge(evidence.of_attempt(symptom, attempt))

    def _answer(self, step: Step) -> None:
        """A command that launches nothing: a reading, a log, or a note."""
        use = commands.use_of(step.text)
        asked: Asked | None = None
        if use == "help":
            asked = judged_help(step, self._flags, self._help)
        elif use == "signature":
            asked = judged_signature(step, self._flags)
        elif use == "version":
            asked = judged_version(step, by_name(self._framework))
        if asked is not None:
            self._reading(step, asked)
            self._launches.release = asked.release or self._launches.release
        elif self._is_log(step, use):
            self._log(step)
        else:
            self._launches.release = installed(step.output, by_name(self._framework)) or self._launches.release
            self._note(step)

    def _is_log(self, step: Step, use: str) -> bool:
        if self._current is None or not step.output.strip():
            return False
        return use == "log" or any(path and path in step.text for path in self._logs)

    def _reading(self, step: Step, asked: Asked) -> None:
        number = len(self._case.attempts)
        command = Command(argv=("bash", "-c", step.text))
        self._case.emit(events.QuestionAsked(question=asked.question, command=command, why="asked in the session"))
        finding = asked.finding
        reading = Reading(
            question=asked.question,
            outcome=finding.outcome,
            text=finding.text,
            signs=finding.signs,
            control=finding.control,
            seconds=step.seconds,
            attempt=number,
        )
        self._readings += 1
        self._case.emit(events.QuestionAnswered(output=asked.output, reading=reading))
        if finding.signs:
            self._case.signs = (*self._case.signs, *finding.signs)
            if self._case.symptom is not None:
                self._case.believe()

    def _log(self, step: Step) -> None:
        """A log that was read for the current launch."""
        current = self._current
        if current is None:
            raise AssertionError("a log is read for a launch")
        symptom, excerpt = symptom_of(self._since(step), current.situation.framework)
        self._case.emit(events.LogRead(path=commands.log_shown(step.text), excerpt=excerpt))
        if evidence.signature(symptom.signs)[0] not in ("", "none"):
            self._judge(symptom)

    def _since(self, step: Step) -> Step:
        """The step without what an earlier look at the same growing log has shown already, where it shows more than that."""
        shown = step.output.rstrip()
        before = next((text for text in reversed(self._shown[-_RECENT:]) if text in shown and shown[shown.rindex(text) + len(text) :].strip()), "")
        if shown.strip():
            self._shown.append(shown)
        return structs.replace(step, output=shown[shown.rindex(before) + len(before) :].lstrip("\n") + "\n") if before else step

    def _judge(self, symptom: Symptom) -> None:
        """Take a symptom for the current launch's, unless it cannot be: then it is recorded as another's and nothing else."""
        current, case = self._current, self._case
        if current is None:
            raise AssertionError("a symptom is of a launch")
        situation = structs.replace(current.situation, symptom=symptom)
        faults = checking.ordered(list(checking.pure_faults(situation)))
        another = self._another(symptom, situation)
        told = structs.replace(symptom, signs=(*symptom.signs, another)) if another else symptom
        case.emit(events.SymptomRead(number=current.number, symptom=told))
        self._flags |= {sign.parameters["flag"]: None for sign in symptom.signs if sign.parameters.get("flag", "").startswith("--")}
        self._lines.setdefault(symptom.line.strip(), current.number)
        if another is not None:
            self._stale_found(told, situation, current.number)
            if case.symptom is not None:
                return
        case.symptom, case.situation, case.faults = told, structs.replace(situation, symptom=told), faults
        case.believe()

    def _another(self, symptom: Symptom, situation: Situation) -> Sign | None:
        """The sign that the error's value cannot come from this launch, which is known as it was executed."""
        signs = evidence.signs_of_symptom(symptom, situation, ())
        sent = next((sign for sign in signs if sign.variable == "sent"), None)
        if sent is not None:
            return sent if sent.value == "another" else None
        error = next((sign for sign in symptom.signs if sign.variable == "error"), None)
        value = error.parameters.get("value", "") if error else ""
        arrival = situation.arrival
        parser = symptom.phase == "arguments"
        whole = arrival.certain and not arrival.problems and bool(situation.argv)
        sure = parser and whole and bool(value) and "--config" not in situation.argv and value not in " ".join(arrival.argv)
        # an address is that of one process: the same one again is the same log again
        again = bool(_ADDRESS.search(symptom.line)) and self._lines.get(symptom.line.strip(), 0) not in (0, len(self._case.attempts))
        if not sure and not again:
            return None
        about = {"flag": error.parameters["flag"]} if error and error.parameters.get("flag") else {}
        return Sign(variable="sent", value="another", parameters=about, source="launch")

    def _stale_found(self, symptom: Symptom, situation: Situation, number: int) -> None:
        value = next((v for v in symptom.values if v), symptom.line.strip()[:80])
        text = f"launch {number}: what was read is not this launch's: it speaks of {value}, which this launch does not send"
        first = self._lines.get(symptom.line.strip(), number)
        text += f"; the same line was read after launch {first} already" if first != number else ""
        self._case.emit(events.Noted(text=text))
        signs = evidence.signs_of_symptom(symptom, situation, ())
        belief, _ = beliefs.believe(CAUSES, signs, self._case.framework)
        found = verdict.leading(CAUSES, belief, 0.0)
        if found is not None and found.hypothesis.cause == STALE and not self._stale:
            self._stale.append(found)

    def _conclude(self) -> Diagnosis:
        case = self._case
        diagnosis = case.conclude()
        named = diagnosis.cause.hypothesis.cause if diagnosis.cause else ""
        also = (*diagnosis.also, *(found for found in self._stale if named != STALE))
        diagnosis = structs.replace(diagnosis, also=also, probes=self._readings)
        if diagnosis.fix is not None and not case.up:
            case.emit(events.FixChosen(fix=diagnosis.fix, tried=False))
        case.emit(events.Diagnosed(diagnosis=diagnosis))
        case.emit(events.RunEnded(reason="done", exit_status=0))
        return diagnosis


def _tells(step: Step) -> bool:
    return step.kind == "command" and (commands.use_of(step.text) in ("log", "other"))
