"""The loop: look, launch, read, believe, ask or mend, relaunch, until it answers, nothing more can be learnt, or the budget ends."""

from collections.abc import Sequence

import msgspec

from agent import __version__
from agent.case import Case
from agent.causes.catalogue import CAUSES
from agent.causes.cause import Cause
from agent.digest import catalogue_digest, own_digest
from agent.edits import told
from agent.ports import World
from agent.request import Request
from agent.strategies.catalogue import STRATEGIES
from agent.strategies.strategy import NOBODY, Counsel
from probes.catalogue import PROBES
from probes.probe import Probe
from transcripts import events
from transcripts.errors import UsageError
from transcripts.journal import Journal
from transcripts.records import Diagnosis, Fault, Launch

EXIT = {"up": 0, "diagnosed": 10, "undetermined": 11, "error": 3}
"""The tool's exit status for each outcome of a diagnosis."""


def exit_status(request: Request, diagnosis: Diagnosis, faults: Sequence[Fault]) -> int:
    """The tool's exit status. A check that saw no sure fault is clean (0): it launches nothing, so ``up`` is not for it to say."""
    if request.verb == "check" and diagnosis.cause is None:
        sure = any(fault.established for fault in faults)
        return 0 if not sure else EXIT["diagnosed"] if diagnosis.also else EXIT["undetermined"]
    return EXIT[diagnosis.outcome]


async def triage(
    request: Request,
    world: World,
    journal: Journal,
    counsel: Counsel = NOBODY,
    causes: Sequence[Cause] = CAUSES,
    probes: tuple[Probe, ...] = PROBES,
) -> Diagnosis:
    """Find out why a launch does not start, and with ``request.fix`` get it started.

    Every step is an event in `journal`; the world is met through `world` alone, so that a replay is this same code. `counsel` is whom the
    strategy may consult; `causes` and `probes` are other catalogues than nostart's own.

    Raises:
        UsageError: no such strategy, or neither a launch nor a log is given.
        TargetUnreachable: the target cannot be asked at all.
        TranscriptError: the record cannot be written.
    """
    choose = STRATEGIES.get(request.strategy)
    if choose is None:
        raise UsageError(f"no strategy is called {request.strategy!r}; there are: {', '.join(sorted(STRATEGIES))}")
    if request.launch is None and request.log is None:
        raise UsageError("nothing to do: give a command after --, a line with --shell, or a log with --log")
    case = Case(request, world, journal, causes, probes, counsel)
    _refuse_unparsable(case)
    _announce(case)
    if request.launch is not None and request.launch.origin is not None:
        case.emit(events.Noted(text=told(request.launch)))
    for asked in request.asked:
        case.emit(events.Noted(text=asked))
    if request.resumed is not None:
        case.emit(events.Noted(text=request.resumed.told))
    await first_look(case)
    reason = "done"
    while not case.up and _something_to_explain(case):
        belief = case.believe()
        action = choose(belief, case.options())
        if action.kind == "stop":
            break
        if request.budget is not None and case.elapsed + action.cost > request.budget:
            case.emit(events.Noted(text=f"the budget of {request.budget:g} s does not allow the next step: {action.why}"))
            reason = "budget"
            break
        if action.kind == "try":
            await case.try_fix(action.hypothesis)
        elif action.candidate is not None:
            found = action.candidate
            finding = await case.ask(found.probe, found.question, case.situation, why=action.why, gain=action.gain)
            case.learn(found, finding)
    return _conclude(case, reason)


def _refuse_unparsable(case: Case) -> None:
    """A line as typed that is no shell at all is bad input; what stands in a script is its author's, and is only told."""
    line = case.request.launch.shell if case.request.launch else None
    broken = next((p.text for p in case.situation.arrival.problems if not p.source and p.text.startswith("does not parse")), "")
    if line is not None and broken and case.request.log is None:
        raise UsageError(f"the line {broken}: is a quote or a bracket left open? Give it to --shell as one word, exactly as you type it")


def _announce(case: Case) -> None:
    request = case.request
    case.emit(
        events.RunStarted(
            nostart=__version__,
            catalogue=own_digest() if case.causes is CAUSES and case.probes is PROBES else catalogue_digest(case.causes, case.probes),
            verb=request.verb,
            options={"request": msgspec.json.encode(request).decode()},
            launch=request.launch or Launch(argv=()),
            framework=request.framework,
            release=request.release,
        )
    )


async def first_look(case: Case) -> None:
    """What can be seen without launching, and then the failure itself: a given log's, or that of the launch as it was given."""
    request = case.request
    await case.look()
    if request.log is not None:
        await case.read_log(request.log)
    elif request.verb != "check" and request.launch is not None and not case.sure_to_fail():
        await case.attempt(request.launch)


def _something_to_explain(case: Case) -> bool:
    return case.symptom is not None or bool(case.faults)


def _conclude(case: Case, reason: str) -> Diagnosis:
    if not case.belief.weighed and _something_to_explain(case) and not case.up:
        case.believe()
    diagnosis = case.conclude()
    if diagnosis.fix is not None and not case.up:
        case.emit(events.FixChosen(fix=diagnosis.fix, tried=False))
    case.emit(events.Diagnosed(diagnosis=diagnosis))
    case.emit(events.RunEnded(reason=reason, exit_status=exit_status(case.request, diagnosis, case.faults)))
    return diagnosis
