"""All that can be seen of a launch without launching it: the probes marked `check`, in order, and the pure checks on their answers."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

from msgspec import structs

from agent.evidence import faults_of, subject_of
from agent.memory import askable, by_identity
from agent.stated import of_image, stated
from probes.atlas.history import table_for
from probes.atlas.table import FlagTable
from probes.atlas.traps import traps
from probes.atlas.walk import subcommand_fault, walk
from probes.config_keys import config_faults
from probes.environment_names import environment_faults
from probes.frameworks.catalogue import by_name, find_entry, recognise
from probes.frameworks.framework import Entry, Framework
from probes.launches.arrival import Arrival
from probes.launches.manifests.faults import OPERATORS
from probes.launches.manifests.reading import read as read_manifest
from probes.launches.shapes import shape_of
from probes.launches.understand import needs, understand
from probes.probe import Probe, Situation
from transcripts.records import Fault, Finding, Launch, Question, Sign

Ask = Callable[[Probe, Question, Situation], Awaitable[Finding]]


@by_identity
def start(launch: Launch | None, framework: str, release: str, can_ask: bool) -> Situation:
    """What is known of a launch from itself alone."""
    return situate(launch, framework, release, {}, can_ask=can_ask)


def situate(launch: Launch | None, framework: str, release: str, data: Mapping[str, Any], *, can_ask: bool) -> Situation:
    """What is known of a launch, from the launch itself and the data of the answers so far."""
    launch = launch or Launch(argv=())
    environment = {**_texts(data.get("environment")), **launch.env}
    files: dict[str, str | None] = dict(data.get("files-read", {}))
    arrival = understand(launch, files=files, environment=environment, find_entry=find_entry)
    wanted = needs(launch, files=files, environment=environment)
    found = recognise(arrival.argv)
    known = found[0] if found else by_name(framework)
    entry = found[1] if found else None
    versions, executable = data.get("versions") or {}, data.get("executable") or {}
    read = data.get("source-flags")
    named = known.name if known else ""
    told = str(versions.get("release") or stated(release, named) or of_image(arrival.layers, named))
    believed = _recorded_table(known.name, told) if known and told and not isinstance(read, FlagTable) else None
    table = read if isinstance(read, FlagTable) else believed
    return Situation(
        launch=launch,
        arrival=arrival,
        framework=known,
        entry=entry,
        release=told,
        program=executable.get("path") or "",
        interpreter=executable.get("interpreter") or "",
        table=table,
        data={"stated": f"{framework} {release}", **data, "needs": (*wanted, *_json_files(arrival.argv, entry, table, files))},
        can_ask=can_ask,
    )


_recorded_table = lru_cache(maxsize=16)(table_for)
_faults_of = by_identity(faults_of)
_walk = lru_cache(maxsize=256)(walk)
_traps = lru_cache(maxsize=256)(traps)


def _json_files(argv: tuple[str, ...], entry: Entry | None, table: object, files: Mapping[str, str | None]) -> tuple[str, ...]:
    """The files whose path stands where JSON is wanted: their text is what was meant."""
    if entry is None or not isinstance(table, FlagTable):
        return ()
    found: list[str] = []
    for word, after in pairwise((*argv[entry.options :], "")):
        head, separator, value = word.partition("=")
        flag = table.find(head)
        path = value if separator else after
        if flag is not None and flag.json_config and shape_of(path, wants_json=True) == "path" and path not in files:
            found.append(path)
    return tuple(found)


def _texts(value: object) -> dict[str, str]:
    return {str(key): str(text) for key, text in value.items()} if isinstance(value, dict) else {}


async def look_around(situation: Situation, probes: tuple[Probe, ...], ask: Ask) -> tuple[Situation, tuple[Fault, ...]]:
    """Ask every check probe what it can be asked, each answer feeding the next.

    Returns what is known then, and the faults seen, the first to kill first.
    """
    faults: list[Fault] = []
    for probe in (probe for probe in probes if probe.check):
        asked: set[tuple[tuple[str, str], ...]] = set()
        while fresh := [q for q in askable(probe, situation) if tuple(sorted(q.parameters.items())) not in asked]:
            for question in fresh:
                asked.add(tuple(sorted(question.parameters.items())))
                finding = await ask(probe, question, situation)
                faults += _faults_of(finding)
                situation = learn(situation, probe.name, question, finding)
    faults += pure_faults(situation)
    return situation, ordered(faults)


@by_identity
def learn(situation: Situation, probe: str, question: Question, finding: Finding) -> Situation:
    """The situation with one more answer's data in it (a file's text under its path, any other under the probe's name)."""
    if finding.data is None and probe != "script":
        return situation
    data = dict(situation.data)
    if probe == "script":
        data["files-read"] = {**data.get("files-read", {}), question.parameters["path"]: finding.data if isinstance(finding.data, str) else None}
    else:
        data[probe] = finding.data
    framework = situation.framework.name if situation.framework else ""
    return structs.replace(situate(situation.launch, framework, situation.release, data, can_ask=situation.can_ask), symptom=situation.symptom)


@by_identity
def pure_faults(situation: Situation) -> tuple[Fault, ...]:
    """The faults that need no further question: the words against the flag table, the environment, what the layers did to the values."""
    faults: list[Fault] = []
    if situation.framework is not None:
        merged = {**_texts(situation.data.get("environment")), **situation.launch.env, **situation.arrival.env}
        for name in (*situation.launch.unset, *situation.arrival.unset):
            merged.pop(name, None)
        known = situation.table.environment if situation.table else ()
        if not situation.elsewhere or situation.launch.origin is not None:
            faults += environment_faults(situation.framework, merged, known, port=_port(situation))
        faults += config_faults(situation)
    of_file = read_manifest(situation.launch.origin).faults if situation.launch.origin is not None else ()
    if situation.table is not None and situation.entry is not None and situation.framework is not None:
        arrival, entry = _readable(situation.arrival, situation.entry, of_file)
        faults += _walked(arrival, entry, situation.table, situation.framework)
    faults += _layer_faults(situation.arrival, elsewhere=situation.elsewhere)
    return (*faults, *of_file)


def _readable(arrival: Arrival, entry: Entry, faults: tuple[Fault, ...]) -> tuple[Arrival, Entry]:
    """The words that a parser can be asked about: what the form of a file is known to put among them is told already.

    Words that an image says twice stand behind the entry point; from a shell's operator on, and behind a shell that is taken for arguments, nothing
    is an argument.
    """
    stop, options = len(arrival.words), entry.options
    for sign in (sign for fault in faults for sign in fault.signs if sign.variable == "manifest"):
        at, count = int(sign.parameters.get("index") or -1), int(sign.parameters.get("length") or 0)
        if sign.value == "no-shell":
            stop = next((n for n in range(options, stop) if arrival.words[n].text in OPERATORS), stop)
        elif at == options and count:
            options += count
        elif at >= options:
            stop = options
    return structs.replace(arrival, words=arrival.words[:stop]), structs.replace(entry, options=min(options, stop))


def _walked(arrival: Arrival, entry: Entry, table: FlagTable, framework: Framework) -> list[Fault]:
    """What the parser will say of the words; no more than a remark where a word could not be predicted."""
    words = arrival.argv[entry.options :]
    found = [*_walk(words, table, framework, offset=entry.options), *_traps(words, table, framework, offset=entry.options)]
    wrong = subcommand_fault(arrival.argv[entry.start :], table, framework, offset=entry.start)
    before = _before_subcommand(arrival.argv, entry)
    faults = [*([before] if before else []), *([wrong] if wrong and not before and entry.options > entry.start + 1 else []), *found]
    return faults if arrival.certain else [structs.replace(fault, established=False) for fault in faults]


def _before_subcommand(argv: tuple[str, ...], entry: Entry) -> Fault | None:
    """Options between the program and its subcommand: the top parser does not have them, and takes their values for the subcommand."""
    words = argv[entry.start + 1 : entry.options - 1]
    if not words or not words[0].startswith("-") or " " not in entry.command or words[0] == "-m":
        return None
    flag = words[0].partition("=")[0]
    where = {"flag": flag, "index": str(entry.start + 1), "length": str(len(words))}
    value = next((word for word in words if not word.startswith("-")), "")
    error = {"value": value or flag} | where
    signs = (
        Sign(variable="error", value="invalid-subcommand" if value else "unrecognised", parameters=error, source="check"),
        Sign(variable="kin", value="other-command", parameters={**where, "command": entry.command}, source="check"),
    )
    return Fault(signs=signs, order=19, text=f"{' '.join(words)} stands before the subcommand, whose parser would take it")


def _port(situation: Situation) -> str:
    """The port that the launch asks for, as text (empty: its default)."""
    flags = situation.framework.port_flags if situation.framework else ()
    for word, after in pairwise((*situation.options, "")):
        head, separator, value = word.partition("=")
        if head in flags:
            return value if separator else after
    return ""


def _layer_faults(arrival: Arrival, *, elsewhere: bool) -> tuple[Fault, ...]:
    """What the layers are known to do to a value or to the command itself, before any probe; all of it where the argv cannot be echoed."""
    faults: list[Fault] = []
    for loss in arrival.losses:
        after = " ".join(loss.after)
        joined = loss.after[0] if loss.kind == "joined" and loss.after else ""
        flag = joined.split()[0] if joined else next((w.text for w in reversed(arrival.words[: loss.position]) if w.text.startswith("-")), "")
        own = arrival.words[loss.position].text if loss.position < len(arrival.words) else ""
        flag = own if loss.kind == "dollar" and own.startswith("--") and "=" in own else flag
        where = {"index": str(loss.position)} | ({"flag": flag.partition("=")[0]} if flag.startswith("-") and loss.kind != "cut" else {})
        told = {"before": loss.before, "after": after, **({"value": loss.after[0]} if loss.after else {}), **where}
        signs = [Sign(variable="delivery", value=loss.kind, parameters=told, source="check")]
        if joined:
            shape = shape_of(joined)
            signs.insert(0, Sign(variable="shape", value=shape, parameters={"value": joined, **where}, source="check"))
        if loss.kind == "cut" and arrival.trailing:
            command = arrival.trailing[0][0]
            signs = [
                Sign(variable="error", value="command-not-found", parameters={"command": command}, source="check"),
                Sign(variable="shape", value="flag" if command.startswith("-") else "word", parameters={"value": command}, source="check"),
                *signs,
            ]
        if loss.kind in ("cut", "dollar") or elsewhere:
            faults.append(Fault(signs=tuple(signs), order=20, text=loss.text or f"{loss.before!r} arrives as {after!r}"))
    return tuple(faults)


def ordered(faults: Sequence[Fault]) -> tuple[Fault, ...]:
    """The faults with the first to kill first; what several looks saw of the same option is one fault with all their signs."""
    return _ordered(tuple(faults))


@by_identity
def _ordered(faults: tuple[Fault, ...]) -> tuple[Fault, ...]:
    unique: list[Fault] = []
    for fault in sorted(faults, key=lambda fault: fault.order):
        flags = _flags(fault)
        place = next((i for i, other in enumerate(unique) if flags & _flags(other) or _pairs(fault) <= _pairs(other)), -1)
        if place < 0:
            unique.append(fault)
            continue
        first, second = (fault, unique[place]) if _tells_error(fault) and not _tells_error(unique[place]) else (unique[place], fault)
        told = {sign.variable for sign in first.signs}
        signs = (*first.signs, *(sign for sign in second.signs if sign.variable not in told))
        established = first.established or second.established
        unique[place] = structs.replace(
            first, signs=signs, order=first.order if _tells_error(first) else min(first.order, second.order), established=established
        )
    return tuple(sorted(unique, key=lambda fault: fault.order))


def _flags(fault: Fault) -> set[str]:
    return {
        sign.parameters["flag"] for sign in fault.signs if sign.parameters.get("flag") and sign.variable in ("error", "delivery", "shape", "file")
    }


def _pairs(fault: Fault) -> set[tuple[str, str, str]]:
    return {(sign.variable, sign.value, subject_of(sign)) for sign in fault.signs}


def _tells_error(fault: Fault) -> bool:
    return any(sign.variable == "error" for sign in fault.signs)
