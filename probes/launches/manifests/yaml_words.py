"""The words of a command that stands in YAML, as a list or as one text, with their places."""

import re
from collections.abc import Callable

from msgspec import Struct, structs

from probes.launches.manifests import faults, yaml_text
from probes.launches.manifests.interpolation import Filled
from probes.launches.manifests.records import Section, Written
from probes.launches.manifests.splitting import Piece, closed, split_words
from probes.launches.manifests.yaml_text import Mapping, Node, Scalar, Sequence
from transcripts.records import Fault

Fill = Callable[[str], Filled]


class Read(Struct, frozen=True, kw_only=True):
    """The words of one field, the section that gives them, and what is wrong with its form."""

    words: tuple[Written, ...] = ()
    sections: tuple[Section, ...] = ()
    faults: tuple[Fault, ...] = ()


class Field(Struct, frozen=True, kw_only=True):
    """A field to be read: its entry, the file, and how the format fills variables in. `splits` says that one text is split into words."""

    text: str
    path: str
    name: str
    key: Scalar
    value: Node
    fill: Fill
    splits: bool
    reader: str


def read(field: Field, first: int) -> Read:
    """The words of a field, the first of them with the index `first` in the whole command."""
    if isinstance(field.value, Sequence):
        return _list(field, first)
    if isinstance(field.value, Mapping):
        line = yaml_text.line_of(field.value)
        return Read(faults=(faults.refused(field.path, line, f"{field.name} is a mapping, and a list of words is wanted", field.name),))
    if yaml_text.kind_of(field.value) == "null":
        return Read()
    return _text(field, first)


def _section(field: Field, form: str, first: int, count: int, repaired: str | None = None) -> Section:
    start, stop = yaml_text.span_of(field.value, field.text)
    key = (field.key.start_mark.index, field.key.end_mark.index)
    style = (field.value.style or "") if isinstance(field.value, Scalar) else ""
    column = int(field.value.start_mark.column) if form == "block" else int(field.key.start_mark.column)
    return Section(form=form, start=start, stop=stop, first=first, count=count, style=style, key=key, column=column, repaired=repaired)


def _list(field: Field, first: int) -> Read:
    words: list[Written] = []
    found: list[Fault] = []
    for item in yaml_text.items(field.value):
        made, fault = _item(field, item)
        words += made
        found += [fault] if fault else []
    form = "flow" if getattr(field.value, "flow_style", False) else "block"
    return Read(words=tuple(words), sections=(_section(field, form, first, len(words)),), faults=tuple(found))


def _item(field: Field, item: Node) -> tuple[list[Written], Fault | None]:
    start, stop = yaml_text.span_of(item, field.text)
    raw, line, kind = field.text[start:stop], yaml_text.line_of(item), yaml_text.kind_of(item)
    if kind == "text":
        filled = field.fill(yaml_text.text_of(item))
        fault = faults.interpolation(field.path, line, filled.text) if filled.invalid else None
        word = Written(
            text=filled.text, raw=yaml_text.text_of(item), line=line, start=start, stop=stop, vanished=filled.missing, wrong=filled.invalid
        )
        return [word], fault
    meant = _meant(item, raw)
    written = [Written(text=text, raw=raw, line=line, start=start, stop=stop, wrong=True) for text in meant]
    return written, faults.wrong_type(field.path, line, field.name, raw, kind)


def _meant(item: Node, raw: str) -> tuple[str, ...]:
    """The words that an item of another type was meant to be: its text as it stands; of ``--flag: value``, both."""
    if isinstance(item, Mapping) and not raw.startswith("{"):
        pairs = [(yaml_text.text_of(key), yaml_text.text_of(value)) for key, value in yaml_text.entries(item)]
        return tuple(word for pair in pairs for word in pair if word)
    return (raw,)


def _text(field: Field, first: int) -> Read:
    value, line = yaml_text.text_of(field.value), yaml_text.line_of(field.value)
    kind = yaml_text.kind_of(field.value)
    filled = field.fill(value)
    if field.splits and "\\ " in value and getattr(field.value, "style", "") == ">":
        return _continued(field, first, filled.text)
    found: list[Fault] = [faults.interpolation(field.path, line, value)] if filled.invalid else []
    try:
        pieces = split_words(filled.text)
    except ValueError:
        return _unbalanced(field, first, filled.text, line)
    places = _places(field, pieces)
    wrong = bool(found) or not field.splits
    words = tuple(
        Written(
            text=piece.text,
            raw=piece.raw,
            kept=piece.raw,
            line=line + field.text.count("\n", field.value.start_mark.index, place[0]) if place[0] >= 0 else line,
            start=place[0],
            stop=place[1],
            wrong=wrong,
        )
        for piece, place in zip(pieces, places, strict=True)
    )
    words = _vanished(field, words, value) if filled.missing else words
    if not field.splits:
        found.append(_not_a_list(field, value, line, kind))
    form = "text" if field.splits else "scalar"
    return Read(words=words, sections=(_section(field, form, first, len(words)),), faults=tuple(found))


def _not_a_list(field: Field, value: str, line: int, kind: str) -> Fault:
    text = f"{field.path} line {line}: {field.name} is one text, and {field.reader} takes only a list of words there"
    shown = value if kind == "text" else f"{value} (a {kind})"
    return faults.not_a_list(text, value, shown)


def _continued(field: Field, first: int, value: str) -> Read:
    """A folded block whose lines end in backslashes: each joins the blank that the line end became to the next word."""
    start, stop = yaml_text.span_of(field.value, field.text)
    line = yaml_text.line_of(field.value)
    repaired = re.sub(r"[ \t]*\\[ \t]*(?=\n|$)", "", field.text[start:stop])
    pieces = split_words(re.sub(r"\\(?= )", "", value))
    words = tuple(Written(text=piece.text, raw=piece.raw, kept=piece.raw, line=line, wrong=True) for piece in pieces)
    section = _section(field, "text", first, len(words), repaired)
    return Read(words=words, sections=(section,), faults=(faults.backslashes(field.path, line, field.name),))


def _unbalanced(field: Field, first: int, value: str, line: int) -> Read:
    repaired = closed(value)
    pieces = split_words(repaired) if repaired is not None else ()
    words = tuple(Written(text=piece.text, raw=piece.raw, kept=piece.raw, line=line, wrong=True) for piece in pieces)
    section = _section(field, "text" if field.splits else "scalar", first, len(words))
    return Read(words=words, sections=(section,), faults=(faults.unbalanced(field.path, line, field.name),))


def _places(field: Field, pieces: tuple[Piece, ...]) -> list[tuple[int, int]]:
    """Where the pieces of a text stand in the file: the source text is split as well, and taken where it gives the same words."""
    start, stop = yaml_text.span_of(field.value, field.text)
    source = field.text[start:stop]
    style = (field.value.style or "") if isinstance(field.value, Scalar) else ""
    skipped = 0
    if style in ("'", '"'):
        skipped, source = 1, source[1:-1]
    elif style in (">", "|"):
        skipped = source.find("\n") + 1
        source = source[skipped:]
    unescaped = not (style == "'" and "''" in source) and not (style == '"' and "\\" in source)
    try:
        own = split_words(source) if unescaped else ()
    except ValueError:
        own = ()
    if len(own) != len(pieces):
        return [(-1, -1)] * len(pieces)
    return [(start + skipped + piece.start, start + skipped + piece.stop) for piece in own]


def _vanished(field: Field, words: tuple[Written, ...], value: str) -> tuple[Written, ...]:
    """The words with what nobody set in them: the unfilled text is split too, and compared where it has as many words."""
    try:
        before = split_words(value)
    except ValueError:
        return words
    made: list[Written] = []
    left = list(words)
    for piece in before:
        filled = field.fill(piece.text)
        if filled.missing and not filled.text:
            line = words[0].line if words else 0
            made.append(Written(text="", raw=piece.raw, kept=piece.raw, line=line, vanished=filled.missing, gone=True))
        elif left:
            made.append(structs.replace(left.pop(0), vanished=filled.missing, raw=piece.raw))
    return (*made, *left)
