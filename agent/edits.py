"""The fix of a launch that was read from a file, as a change of that file: a unified diff for its owner to apply. Pure; nothing is written.

A diff is only given where the changed file, read again, is seen to deliver the corrected command, and has no fault of form left that it can mend.
"""

import difflib
import json
from collections.abc import Iterator, Mapping

from msgspec import structs

from probes.frameworks.catalogue import find_entry
from probes.launches.arrival import Arrival
from probes.launches.manifests import writing
from probes.launches.manifests.reading import changed, launch_of, read
from probes.launches.manifests.records import Manifest
from probes.launches.quoting import quoted
from probes.launches.understand import understand
from probes.probe import Situation
from transcripts.records import Edit, Fix, Launch, Origin

_CONTEXT = 3


def with_edits(fix: Fix, situation: Situation) -> Fix:
    """The fix with the change of the file that the launch was read from, where one can be made that is sure to be right."""
    origin = situation.launch.origin
    if origin is None:
        return fix
    launch = structs.replace(fix.launch or situation.launch, shell=None, origin=None)
    wanted = _arrival(launch).argv if fix.launch else situation.arrival.argv
    if not wanted:
        return fix
    text = _edited(origin, situation, launch, wanted, fix)
    argv = fix.argv or wanted
    fix = structs.replace(fix, argv=argv, shell=fix.shell or quoted(argv, situation.launch.secrets))
    if text is None:
        return fix
    edit = Edit(path=origin.path, difference=difference(origin.path, origin.text, text, situation.launch.secrets))
    # the diff says it all: which line of a script to change is not told in words as well
    steps = tuple(step for step in fix.steps if not step.startswith((f"{origin.path} line", f"./{origin.path} line")))
    return structs.replace(fix, edits=(edit,), steps=steps)


def told(launch: Launch) -> str:
    """What the format of the file does to the command, and what it makes of it, in a sentence."""
    origin = launch.origin
    if origin is None:
        return ""
    manifest = read(origin)
    does = "; ".join((f"{manifest.layer.words[0]}, {origin.part}" if origin.part else manifest.layer.words[0], *manifest.notes))
    return f"{origin.path}: {does}; executed is {json.dumps(launch.argv, ensure_ascii=False)}"


def difference(path: str, before: str, after: str, secrets: tuple[str, ...] = ()) -> str:
    """A unified diff; its context is narrowed where a hidden value stands in it, which ``patch`` would not find in the file."""
    for context in range(_CONTEXT, -1, -1):
        lines = list(_unified(path, before, after, context))
        if not any(f"${name}" in line for line in lines for name in secrets if line.startswith(" ")):
            break
    return "".join(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines)


def _unified(path: str, before: str, after: str, context: int) -> Iterator[str]:
    return difflib.unified_diff(before.splitlines(keepends=True), after.splitlines(keepends=True), path, path, n=context)


def _arrival(launch: Launch) -> Arrival:
    return understand(launch, files={}, environment=launch.env, find_entry=find_entry)


def _edited(origin: Origin, situation: Situation, launch: Launch, wanted: tuple[str, ...], fix: Fix) -> str | None:
    manifest = read(origin)
    arrival = situation.arrival
    known = {fault.text for fault in manifest.faults}
    if fix.launch is None and not known:
        return None
    proposals = [origin.text, *_proposals(origin, manifest, launch, arrival, wanted)]
    right = [text for text in map(writing.unmarked, proposals) if _delivers(changed(origin, text), wanted, fix.unset)]
    for text in right:
        done = _with_environment(changed(origin, text), fix.env)
        left = read(changed(origin, done)).faults
        if done != origin.text and not left:
            return done
    for text in right:
        left = read(changed(origin, text)).faults
        if text != origin.text and len(left) < len(known):
            return text
    return None


def _proposals(origin: Origin, manifest: Manifest, launch: Launch, arrival: Arrival, wanted: tuple[str, ...]) -> Iterator[str]:
    yield from writing.continued(origin.text, arrival)
    if origin.kind != "script":
        yield from writing.candidates(origin, manifest, launch.argv, arrival, wanted)
        return
    found = writing.substituted(origin.text, [(0, len(origin.text))], arrival, wanted)
    if found is not None:
        yield found


def _delivers(origin: Origin, wanted: tuple[str, ...], unset: tuple[str, ...]) -> bool:
    launch = launch_of(origin)
    return _arrival(launch).argv == wanted and not set(unset) & set(launch.env)


def _with_environment(origin: Origin, env: Mapping[str, str]) -> str:
    """The file with the variables that a fix sets, where the file sets them already."""
    manifest = read(origin)
    splices = list(manifest.repairs)
    for name, value in env.items():
        place = manifest.variables.get(name)
        if place is not None and manifest.env.get(name) != value:
            old = origin.text[slice(*place)]
            splices.append((*place, old.replace(manifest.env.get(name, ""), value) if manifest.env.get(name) else value))
    return writing.spliced(origin.text, splices)
