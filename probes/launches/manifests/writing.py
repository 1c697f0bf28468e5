"""A manifest with other words in its command: candidates for the whole text of the file, the smallest change first. Pure.

Each is only a proposal: whoever takes one reads it again and sees whether the wanted words arrive.
"""

import difflib
import json
import re
import shlex
from collections.abc import Iterator, Sequence

from probes.launches.arrival import Arrival
from probes.launches.manifests import interpolation, systemd, yaml_text
from probes.launches.manifests.records import Manifest, Section, Written
from transcripts.records import Origin

_LITERAL = re.compile(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))")
Splice = tuple[int, int, str]


def candidates(origin: Origin, manifest: Manifest, outer: Sequence[str], arrival: Arrival, argv: Sequence[str]) -> Iterator[str]:
    """Texts of the file whose command may be `outer` (of which `argv` arrives at the server behind all layers)."""
    own = tuple(outer[manifest.entrypoint :])
    inner = any(layer.kind in ("shell", "script", "typed") for layer in arrival.layers)
    if inner:
        yield from _substituted(origin.text, manifest.sections, arrival, argv)
    if tuple(outer[: manifest.entrypoint]) == manifest.argv[: manifest.entrypoint]:
        yield from _word_by_word(origin, manifest, own)
        yield from _repaired(origin, manifest)
        yield from _rewritten(origin, manifest, own)
    yield from manifest.variants


def _repaired(origin: Origin, manifest: Manifest) -> Iterator[str]:
    for section in manifest.sections:
        if section.repaired is not None:
            yield spliced(origin.text, [(section.start, section.stop, section.repaired)])


def spliced(text: str, splices: Sequence[Splice]) -> str:
    """`text` with spans replaced; the spans do not overlap."""
    for start, stop, new in sorted(splices, key=lambda one: (-one[0], -one[1])):
        text = text[:start] + new + text[stop:]
    return text


# word by word


def _word_by_word(origin: Origin, manifest: Manifest, own: tuple[str, ...]) -> Iterator[str]:
    """Only the words that differ are written anew, each in its own place."""
    words = manifest.words[manifest.entrypoint :]
    before = [("\0gone" if word.gone else "\0wrong" + word.text if word.wrong else word.text) for word in words]
    splices: list[Splice] = []
    for tag, start, stop, new_start, new_stop in difflib.SequenceMatcher(None, before, own, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        for made in _blocks(words, start, stop, own[new_start:new_stop]):
            splice = _splice(origin, manifest, *made)
            if splice is None:
                return
            splices += splice
    if splices:
        yield spliced(origin.text, splices)


def _blocks(words: Sequence[Written], start: int, stop: int, new: tuple[str, ...]) -> list[tuple[int, int, tuple[str, ...]]]:
    """A replaced run of words as single replacements where as many come as go."""
    if stop - start == len(new) and stop - start > 1 and all(word.start >= 0 for word in words[start:stop]):
        return [(start + at, start + at + 1, (word,)) for at, word in enumerate(new)]
    return [(start, stop, new)]


def _splice(origin: Origin, manifest: Manifest, start: int, stop: int, new: tuple[str, ...]) -> list[Splice] | None:
    """The replacement of the file's words `start` to `stop` (image's words not counted) by `new`; None where they stand in no one section."""
    first, last = start + manifest.entrypoint, stop + manifest.entrypoint
    words = manifest.words
    section = next((s for s in reversed(manifest.sections) if s.first <= first and last <= s.first + s.count and (s.count or s.form == "text")), None)
    if section is None or any(word.start < 0 for word in words[first:last]):
        return None
    spans = sorted({(word.start, word.stop) for word in words[first:last]})
    # several words of one place (a variable of several words, a mapping) go together
    if any((word.start, word.stop) in spans for word in (*words[section.first : first], *words[last : section.first + section.count])) and spans:
        return None
    texts = [_respelt(origin, manifest, words[first:last], text) for text in new]
    if not spans:
        return _inserted(origin, manifest, section, first, texts)
    if not texts:
        return _removed(origin, manifest, section, first, last)
    style = _style(origin.text[spans[0][0] : spans[0][0] + 1], section)
    written = [_written(origin, section, text, style) for text in texts]
    rest = [(one[0], one[1], "") for one in spans[1:]]
    return [(spans[0][0], spans[0][1], _between(section).join(written)), *(_widened(origin.text, section, one) for one in rest)]


def _inserted(origin: Origin, manifest: Manifest, section: Section, index: int, texts: list[str]) -> list[Splice] | None:
    """New words behind the word before them, or in front of the first."""
    written = [_written(origin, section, text, "") for text in texts]
    between = _between(section)
    previous = manifest.words[index - 1] if index > section.first else None
    if previous is not None and previous.start >= 0:
        return [(previous.stop, previous.stop, between + between.join(written))]
    following = manifest.words[index] if index < section.first + section.count else None
    if following is not None and following.start >= 0:
        return [(following.start, following.start, between.join(written) + between)]
    return None


def _removed(origin: Origin, manifest: Manifest, section: Section, first: int, last: int) -> list[Splice] | None:
    if last - first == section.count and section.form in ("block", "flow"):
        return None
    spans = sorted({(word.start, word.stop) for word in manifest.words[first:last]})
    if section.form in ("flow", "json") and first == section.first:
        following = manifest.words[last].start
        return [(spans[0][0], following, "")]
    return [_widened(origin.text, section, (start, stop, "")) for start, stop in spans]


def _widened(text: str, section: Section, splice: Splice) -> Splice:
    """The removal of a word with what separates it: its line in a block, the comma before it, or the blanks before it."""
    start, stop, _ = splice
    if section.form == "block":
        begin = text.rfind("\n", 0, start) + 1
        end = text.find("\n", stop)
        return (begin, len(text) if end < 0 else end + 1, "")
    if section.form in ("flow", "json"):
        comma = text.rfind(",", section.start, start)
        return (comma if comma >= 0 else start, stop, "")
    if start == section.start:
        while stop < section.stop and text[stop] in " \t":
            stop += 1
        return (start, stop, "")
    blank = start
    while blank > section.start and text[blank - 1] in " \t":
        blank -= 1
    return (blank, stop, "")


def _between(section: Section) -> str:
    if section.form == "block":
        return "\n" + " " * section.column + "- "
    return ", " if section.form in ("flow", "json") else " "


def _style(first: str, section: Section) -> str:
    return first if first in ("'", '"') and section.form in ("block", "flow") else ""


def _written(origin: Origin, section: Section, text: str, style: str) -> str:
    """One word as it is written in a section."""
    if section.form == "json":
        return json.dumps(text, ensure_ascii=False)
    if section.form in ("block", "flow"):
        return yaml_text.scalar(_escaped(origin.kind, text), style, flow=section.form == "flow")
    return systemd.quoted(text) if origin.kind == "systemd" else shlex.quote(_escaped(origin.kind, text))


def _escaped(kind: str, text: str) -> str:
    if kind == "compose":
        return interpolation.compose_escaped(text)
    return text


def _respelt(origin: Origin, manifest: Manifest, old: Sequence[Written], text: str) -> str:
    """A word that holds the value of a variable of the container: the variable itself, as the format fills it in.

    The markers keep such a reference apart from text; `unmarked` undoes them in the finished file.
    """
    if origin.kind not in ("kubernetes", "systemd") or len(old) != 1:
        return text
    raw = old[0].raw
    names = [match[1] or match[2] for match in _LITERAL.finditer(raw)]
    known = {**manifest.env, **{name: "$" + name for name in manifest.hidden}}
    if not names or not all(name in manifest.env or old[0].wrong for name in names):
        return text
    values = {name: known.get(name, "$" + name) for name in names}
    if _LITERAL.sub(lambda match: values[match[1] or match[2]], raw) != text and text != raw:
        return text
    opening, closing = ("(", ")") if origin.kind == "kubernetes" else ("{", "}")
    return _LITERAL.sub(lambda match: f"{_MARK}{opening}{match[1] or match[2]}{closing}", raw.strip("'\""))


_MARK = "\ue000"
"""Stands for the dollar sign of a reference while words are quoted (a private character)."""


def unmarked(text: str) -> str:
    """The finished text, its references in the format's own spelling."""
    return text.replace(_MARK, "$")


# the text of a shell


def continued(text: str, arrival: Arrival) -> Iterator[str]:
    """The text with the line continued that ends the command too early."""
    for loss in arrival.losses:
        line = arrival.words[loss.position - 1].source.rpartition(":")[2] if 0 < loss.position <= len(arrival.words) else ""
        if loss.kind == "cut" and line.isdigit():
            lines = text.split("\n")
            at = int(line) - 1
            if at < len(lines):
                lines[at] = lines[at].rstrip().rstrip("\\").rstrip() + " \\"
                yield "\n".join(lines)


def _substituted(text: str, sections: Sequence[Section], arrival: Arrival, argv: Sequence[str]) -> Iterator[str]:
    """The words that differ, put in the place of their raw text within the sections."""
    spans = [(section.start, section.stop) for section in sections] or [(0, len(text))]
    found = substituted(text, spans, arrival, argv)
    if found is not None:
        yield found


def substituted(text: str, spans: Sequence[tuple[int, int]], arrival: Arrival, argv: Sequence[str]) -> str | None:
    """`text` with the raw words of the arrival that differ from `argv` replaced within the spans; None where one cannot be found."""
    splices: list[Splice] = []
    words = arrival.words
    for tag, start, stop, new_start, new_stop in difflib.SequenceMatcher(None, arrival.argv, argv, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        new = [shlex.quote(word) for word in argv[new_start:new_stop]]
        anchor = start == stop
        if anchor and start == 0:
            return None
        old = words[start - 1 : start] if anchor else words[start:stop]
        raws = list(dict.fromkeys(word.raw or word.text for word in old))
        place = _find(text, spans, raws, old[0].source)
        if place is None:
            return None
        kept = text[slice(*place)] if anchor else ""
        splices.append((*place, " ".join([*([kept] if kept else []), *new])))
    return spliced(text, splices) if splices else None


def _find(text: str, spans: Sequence[tuple[int, int]], raws: Sequence[str], source: str) -> tuple[int, int] | None:
    """Where raw words stand one behind another, the place nearest to the line of `source`."""
    pattern = re.compile(r"(?:\s|\\\n)+".join(re.escape(raw) for raw in raws))
    line = source.rpartition(":")[2]
    found = [match.span() for start, stop in spans for match in pattern.finditer(text, start, stop)]
    if not found:
        return None
    wanted = int(line) if line.isdigit() else 0
    return min(found, key=lambda span: abs(text.count("\n", 0, span[0]) + 1 - wanted)) if wanted else found[0]


# the whole command


def _rewritten(origin: Origin, manifest: Manifest, own: tuple[str, ...]) -> Iterator[str]:
    """The whole command written anew in the first section (the last of two keeps nothing but what it had)."""
    sections = manifest.sections
    if not sections:
        return
    count = sum(section.count for section in sections[1:])
    kept = tuple(word.text for word in manifest.words[len(manifest.words) - count :]) if count else ()
    if len(sections) > 1 and own[len(own) - count :] == kept:
        section, words = sections[0], own[: len(own) - count]
    elif len(sections) > 1:
        first = tuple(word.text for word in manifest.words[sections[0].first : sections[0].first + sections[0].count])
        if own[: len(first)] != first:
            return
        section, words = sections[-1], own[len(first) :]
    else:
        section, words = sections[0], own
    yield spliced(origin.text, [(section.start, section.stop, _whole(origin, section, words))])


def _whole(origin: Origin, section: Section, words: Sequence[str]) -> str:
    if origin.kind == "systemd":
        return " ".join(systemd.quoted(word) for word in words)
    if section.form == "json" or origin.kind == "dockerfile":
        return json.dumps(list(words), ensure_ascii=False)
    if section.form == "flow":
        return "[" + ", ".join(yaml_text.scalar(_escaped(origin.kind, word), flow=True) for word in words) + "]"
    column = section.column if section.form == "block" else section.column + 2
    items = [f"- {yaml_text.scalar(_escaped(origin.kind, word))}" for word in words]
    lead = "" if section.form == "block" else "\n" + " " * column
    return lead + ("\n" + " " * column).join(items)
