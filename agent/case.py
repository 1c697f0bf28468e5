"""The working memory of one triage and the moves the loop makes on it. Everything here can be derived again from the transcript."""

from collections.abc import Mapping, Sequence

import msgspec
from msgspec import structs

from agent import belief as beliefs
from agent import checking, evidence, faults, memory, verdict
from agent.causes.cause import Cause
from agent.edits import with_edits
from agent.fixes import accumulated, compose
from agent.ports import World
from agent.request import Request
from agent.strategies.strategy import NOBODY, Candidate, Counsel, Options
from probes.probe import Probe, Situation
from transcripts import events
from transcripts.journal import Journal
from transcripts.records import (
    Attempt,
    Belief,
    Diagnosis,
    Excerpt,
    Fault,
    Finding,
    Fix,
    Hypothesis,
    Launch,
    Move,
    Question,
    Repair,
    Sign,
    Symptom,
    Verdict,
)

_evidence = memory.by_identity(verdict.evidence)


class Case:
    """One triage under way. `launch` is the current one (as given, or as mended by what was confirmed); `symptom` the last failure's."""

    def __init__(
        self, request: Request, world: World, journal: Journal, causes: Sequence[Cause], probes: tuple[Probe, ...], counsel: Counsel = NOBODY
    ) -> None:
        self.request = request
        self.counsel = counsel
        self.world = world
        self.journal = journal
        self.causes = causes
        self.probes = probes
        self.situation: Situation = checking.start(request.launch, request.framework, request.release, request.can_ask)
        self.faults: tuple[Fault, ...] = ()
        self.signs: tuple[Sign, ...] = ()
        self.symptom: Symptom | None = None
        self.attempts: list[Attempt] = []
        self.solved: list[Verdict] = []
        self.fix: Fix | None = None
        self.belief = Belief()
        self.moves: tuple[Move, ...] = ()
        self._answers: dict[memory.Asked, Finding] = {}
        self._tried: dict[bytes, int] = {}
        self._asked = 0
        self._labels: frozenset[str] = frozenset()
        self._began = ""
        self._last = ""

    @property
    def framework(self) -> str:
        """The name of the framework, or an empty text."""
        return self.situation.framework.name if self.situation.framework else ""

    @property
    def up(self) -> bool:
        """Whether the last attempt answered a real request."""
        return bool(self.attempts) and self.attempts[-1].end == "up"

    @property
    def elapsed(self) -> float:
        """Seconds from the first event to the last, by the record's own times."""
        return evidence.seconds_between(self._began, self._last)

    def emit(self, event: events.AnyEvent) -> None:
        """Record an event; the first and last times give the run's duration."""
        at = self.journal.emit(event).at
        self._began = self._began or at
        self._last = at

    async def ask(self, probe: Probe, question: Question, situation: Situation, *, why: str = "", gain: float = 0.0) -> Finding:
        """Ask a question through the world; the same command is not run twice in one triage."""
        command = memory.command(probe, question, situation)
        key = memory.asked(question, command)
        if key in self._answers:
            return self._answers[key]
        self.emit(events.QuestionAsked(question=question, command=command, why=why, gain=round(gain, 6), cost=probe.cost))
        output = await self.world.ask(question, command)
        finding = memory.finding(probe, question, output)
        reading = evidence.reading(question, finding, output.seconds, situation.launch.target, len(self.attempts))
        self.emit(events.QuestionAnswered(output=output, reading=reading))
        self._answers = {**self._answers, key: finding}
        self._asked += 1
        self._crash_of(finding)
        self.signs = (*self.signs, *evidence.sourced(finding, probe.name))
        return finding

    def _crash_of(self, finding: Finding) -> None:
        """A probe that crashed says nothing about its question; the crash is a symptom of its own, and a fault seen without launching."""
        crash = finding.data.get("crash") if isinstance(finding.data, dict) else None
        if isinstance(crash, str) and crash:
            symptom, fault = faults.of_crash(crash, self.situation)
            self.emit(events.SymptomRead(number=0, symptom=symptom))
            self.faults = checking.ordered([*self.faults, *fault])

    async def look(self) -> None:
        """See every fault that can be seen without launching."""
        self.signs = tuple(sign for sign in self.signs if sign.variable == "relaunch")
        if self.request.check and self.request.can_ask and self.request.launch is not None:
            self.situation, self.faults = await checking.look_around(self.situation, self.probes, self.ask)
        else:
            self.faults = checking.ordered(list(checking.pure_faults(self.situation)))
        s = self.situation
        self.emit(events.LaunchUnderstood(framework=self.framework, layers=s.arrival.layers, arrives=s.arrival.argv, meant=s.arrival.meant))
        for fault in self.faults:
            self.emit(events.FaultSeen(fault=fault))

    def sure_to_fail(self) -> bool:
        """Whether a fault was seen that is certain to kill the launch."""
        return any(faults.lethal(fault) for fault in self.faults)

    async def read_log(self, path: str) -> None:
        """Take the symptom from a given log."""
        excerpt = await self.world.read_log(path)
        self.emit(events.LogRead(path=path, excerpt=excerpt, exit_status=self.request.exit_status))
        self.signs = (*self.signs, *self.request.runtime)
        self._read(0, excerpt, self.request.exit_status)

    async def attempt(self, launch: Launch, fix: Fix | None = None) -> None:
        """Execute a launch and read what became of it."""
        number = len(self.attempts) + 1
        if self.request.resumed is not None and self.request.resumed.unfinished == number:
            self.emit(events.Noted(text=f"launch {number} was under way when {self.request.resumed.run} ended: it is launched again"))
        self.emit(events.AttemptStarted(number=number, launch=launch, fix=fix.summary if fix else ""))

        def reached(phase: str, seconds: float) -> None:
            self.emit(events.PhaseReached(number=number, phase=phase, seconds=seconds))

        attempt, excerpt = await self.world.attempt(number, launch, self.situation.framework, fix, reached)
        self.emit(events.AttemptEnded(attempt=attempt, excerpt=excerpt))
        self.attempts.append(attempt)
        self._read(number, excerpt, attempt.exit_status, attempt)

    def _read(self, number: int, excerpt: Excerpt, exit_status: int | None, attempt: Attempt | None = None) -> None:
        symptom = memory.symptom(excerpt, self.situation.framework, exit_status=exit_status, ended=attempt is None or attempt.end == "exited")
        symptom = evidence.of_attempt(symptom, attempt)
        self.symptom = structs.replace(symptom, whole=symptom.whole and not self.request.cut)
        self.situation = structs.replace(self.situation, symptom=self.symptom)
        self.emit(events.SymptomRead(number=number, symptom=self.symptom))

    def focus(self) -> tuple[Sign, ...]:
        """The signs of the first fault."""
        return faults.first(self.symptom, self.situation, self.faults, self.signs)

    def believe(self) -> Belief:
        """Weigh all evidence about the first fault and record how the belief moved."""
        signs = self.focus()
        belief, moves = beliefs.believe(self.causes, signs, self.framework)
        if belief != self.belief or not self.belief.weighed:
            self.belief, self.moves = belief, moves
            kept, shown, entropy = beliefs.shown(belief, moves)
            self.emit(events.BeliefMoved(belief=kept, moves=shown, entropy=entropy))
        return belief

    def candidates(self) -> tuple[Candidate, ...]:
        """Every question that can be asked and was not."""
        questions = ((p, number, q) for p in self.probes for number, q in enumerate(memory.askable(p, self.situation), 1))
        found = [Candidate(probe=p, question=q, label=p.name if number == 1 else f"{p.name}#{number}") for p, number, q in questions]
        return tuple(c for c in found if memory.asked(c.question, memory.command(c.probe, c.question, self.situation)) not in self._answers)

    def options(self) -> Options:
        """What the strategy may choose from."""
        s = self.situation
        proposal = self.proposal() if self.request.fix and s.launch.argv and len(self.attempts) < self.request.max_launches else None
        can_try = proposal is not None and proposal.launch is not None
        return Options(
            causes=self.causes,
            candidates=self.candidates() if s.can_ask else (),
            can_try=can_try,
            relaunch_cost=(s.framework.import_seconds if s.framework else 8.0) + 17.0,
            threshold=self.request.threshold,
            fixable=self.fixable,
            seed=self.request.seed,
            asked=self._labels,
            symptom=self.symptom,
            advisor=self.counsel.advisor,
            outlook=self.counsel.outlook,
        )

    def fixable(self, hypothesis: Hypothesis) -> bool:
        """Whether the fix of a hypothesis, likely or not, is a launch that can be tried now."""
        if not (self.request.fix and self.situation.launch.argv and len(self.attempts) < self.request.max_launches):
            return False
        proposal = self.proposal(verdict.of(self.causes, self.belief, hypothesis))
        return proposal is not None and proposal.launch is not None

    def learn(self, candidate: Candidate, finding: Finding) -> None:
        """Take an answer's data into what is known; a fault it shows joins those seen."""
        self._labels |= {candidate.label}
        self.situation = checking.learn(self.situation, candidate.probe.name, candidate.question, finding)
        self.faults = checking.ordered([*self.faults, *evidence.faults_of(finding)])

    def main(self) -> Verdict | None:
        """The leading cause, whatever its probability, where it is likelier than unknown."""
        found = verdict.leading(self.causes, self.belief, 0.0)
        return found if found and found.probability > self.belief.unknown else None

    def also(self, main: Verdict | None = None) -> tuple[Verdict, ...]:
        """The other faults seen (besides `main`, or the leading one), each with its likeliest cause."""
        main = main or self.main()
        known = [verdict.hypothesis for verdict in (*self.solved, *((main,) if main else ()))]
        return faults.others(self.causes, self.faults, self.focus(), known, self.framework)

    def proposal(self, main: Verdict | None = None) -> Fix | None:
        """The fix of `main` (the leading cause) and of every other fault that was seen for certain, as one new launch (or in words)."""
        main = main or self.main()
        if main is None:
            return None
        repairs: list[tuple[Hypothesis, Repair]] = []
        for place, item in enumerate((main, *self.also(main))):
            cause = next(c for c in self.causes if c.id == item.hypothesis.cause)
            choices = cause.mend(item.hypothesis, self.situation) if cause.mend else ()
            used = self._tried.get(msgspec.json.encode(item.hypothesis), 0) if place == 0 else 0
            if place == 0 and choices and used >= len(choices):
                return None
            repairs.append((item.hypothesis, choices[used] if choices else Repair(summary=item.summary, steps=(cause.advice,))))
        fix = compose(self.situation.launch, self.situation, repairs, self._left)
        return accumulated(self.fix, with_edits(fix, self.situation))

    def _left(self, argv: tuple[str, ...], env: Mapping[str, str], unset: tuple[str, ...]) -> list[tuple[Hypothesis, Repair]]:
        """What can still be seen to be wrong with a mended argv: a launch that is sure to fail is not worth its seconds."""
        before = self.situation
        launch = Launch(argv=argv, env={**before.launch.env, **before.arrival.env, **env}, unset=unset, secrets=before.launch.secrets)
        situation = checking.situate(launch, self.framework, before.release, before.data, can_ask=before.can_ask)
        return faults.repairs(self.causes, checking.ordered(checking.pure_faults(situation)), situation)

    async def try_fix(self, hypothesis: Hypothesis | None = None) -> None:
        """Relaunch with the fix of the leading hypothesis, or of another, judge what became of the failure, and go on from there where it is gone."""
        main = verdict.of(self.causes, self.belief, hypothesis) if hypothesis else self.main()
        fix = self.proposal(main)
        if main is None or fix is None or fix.launch is None:
            raise AssertionError("a fix is tried only where there is one")
        mended = (main, *self.also(main))
        before = (self.symptom, evidence.signature(self.focus()))
        self.emit(events.FixChosen(fix=fix, tried=True))
        await self.attempt(fix.launch, fix)
        outcome, text = evidence.judged(before, self.symptom, self.up, self.situation)
        self.emit(events.FixJudged(number=len(self.attempts), verdict=outcome, text=text))
        key = msgspec.json.encode(main.hypothesis)
        self._tried[key] = self._tried.get(key, 0) + 1
        if outcome == "gone":
            self.solved += [structs.replace(item, confirmed=True) for item in mended]
            self.fix = fix
            self._tried.clear()
            self._labels = frozenset()
            if not self.up:
                symptom = self.symptom
                data = {k: v for k, v in self.situation.data.items() if k not in ("needs",)}
                self.situation = checking.situate(fix.launch, self.framework, self.situation.release, data, can_ask=self.request.can_ask)
                await self.look()
                self.situation = structs.replace(self.situation, symptom=symptom)
        else:
            sign = Sign(
                variable="relaunch",
                value=outcome,
                parameters={"cause": main.hypothesis.cause, **main.hypothesis.parameters},
                source=f"attempt:{len(self.attempts)}",
            )
            self.signs = (*self.signs, sign)

    def conclude(self) -> Diagnosis:
        """The diagnosis as things stand."""
        lead = None if self.up else verdict.leading(self.causes, self.belief, self.request.threshold)
        nothing = self.symptom is None and not self.faults
        cause = lead or (self.solved[0] if self.solved else None)
        rest = self.solved[1:] if self.up else self.also()
        fix = self.fix if self.up else (None if nothing else self.proposal() if self.main() else None)
        return Diagnosis(
            outcome="up" if self.up else "diagnosed" if lead else "undetermined",
            belief=beliefs.shown(self.belief, self.moves)[0],
            cause=cause,
            also=tuple(rest),
            fix=fix if (self.up or lead) else None,
            evidence=_evidence(self.moves, self.belief, self.symptom),
            next=() if self.up or lead else verdict.suggestions(self.causes, self.belief, self.candidates(), self.situation),
            symptom=None if self.up else self.symptom,
            solved=tuple(self.solved),
            launches=len(self.attempts),
            probes=self._asked,
            seconds=self.elapsed,
        )
