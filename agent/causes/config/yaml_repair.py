"""Mends a YAML file by editing its lines: comments, order and everything that is sound stay as they are. Pure functions.

`repair` first makes the text parse, one error of the reader at a time, and keeps an edit only if the reader gets further by it; then, for a
configuration of the LiteLLM proxy, it mends what the proxy would refuse (`agent.causes.config.proxy_config`). It answers None where the
result is not sure to be better: a guess that does not parse is no repair.
"""

import difflib
import re
from collections.abc import Iterator

import yaml

from agent.causes.config import proxy_config
from transcripts.records import Record

_ROUNDS = 40
_KEY = re.compile(r"^(?P<lead>\s*(?:-\s+)*)(?P<key>[A-Za-z_][\w.\-]*)\s*:(?P<rest>.*)$")
_TIGHT = re.compile(r"^(\s*(?:-\s*)*)([A-Za-z_][\w.\-]*):(?!//)(?=[^\s:])(.*)$")


class Mended(Record, frozen=True, kw_only=True):
    """A corrected text: the copy's file `name`, its `text`, the unified `difference` to the original, and each change in words.

    `remaining` are what the framework would still refuse, and only a person can mend.
    """

    name: str
    text: str
    difference: str
    changes: tuple[str, ...]
    remaining: tuple[str, ...] = ()


class _Edit(Record, frozen=True, kw_only=True):
    """One way to go on: the lines after the edit, and what it did, in words."""

    lines: tuple[str, ...]
    text: str


def repair(text: str, path: str, framework: str = "") -> Mended | None:
    """The text mended, or None where nothing is wrong with it or no edit makes it right."""
    remaining: tuple[str, ...] = ()
    lines, changes = _parsing(tuple(text.split("\n")), framework)
    if fault(lines) is not None:
        return None
    if _is_proxy(lines, framework):
        lines, more = proxy_config.mended(lines)
        changes = (*changes, *more)
        remaining = tuple(flaw.text for flaw in proxy_config.flaws("\n".join(lines)))
    new = "\n".join(lines)
    if new == text or fault(lines) is not None or not isinstance(yaml.safe_load(new), dict):
        return None
    name = path.replace("\\", "/").rpartition("/")[2] or "config.yaml"
    old, corrected = text.splitlines(keepends=True), new.splitlines(keepends=True)
    difference = "".join(difflib.unified_diff(old, corrected, fromfile=path, tofile=f"{name} (corrected copy)"))
    return Mended(name=name, text=new, difference=difference, changes=changes, remaining=remaining)


def fault(lines: tuple[str, ...]) -> tuple[int, int] | None:
    """Line and column (from 0) where the reader gives up, or None where the text is YAML."""
    try:
        yaml.safe_load("\n".join(lines))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        return (mark.line, mark.column) if mark else (0, 0)
    except yaml.YAMLError:
        return (0, 0)
    return None


def _is_proxy(lines: tuple[str, ...], framework: str) -> bool:
    return framework == "litellm" or any(line.startswith("model_list") for line in lines)


def _parsing(lines: tuple[str, ...], framework: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The lines after as many edits as it takes until the reader is content, or no edit helps."""
    changes: list[str] = []
    for _ in range(_ROUNDS):
        at = fault(lines)
        if at is None:
            break
        best = _best(lines, at, _is_proxy(lines, framework))
        if best is None:
            break
        lines = best.lines
        changes.append(best.text)
    return lines, tuple(changes)


def _best(lines: tuple[str, ...], at: tuple[int, int], proxy: bool) -> _Edit | None:
    """The edit that takes the reader furthest; of those that make it content, the one that leaves least to complain about."""
    best: tuple[tuple[int, int, int], _Edit] | None = None
    for edit in _edits(lines, min(at[0], len(lines) - 1)):
        now = fault(edit.lines)
        if now is not None and now <= at:
            continue
        complaints = proxy_config.complaints("\n".join(edit.lines)) if now is None and proxy else 0
        reached = now[0] if now is not None else len(lines) + 1
        score = (1 if now is None else 0, reached, -complaints)
        if best is None or score > best[0]:
            best = (score, edit)
    return best[1] if best else None


def _edits(lines: tuple[str, ...], line: int) -> Iterator[_Edit]:
    """Edits worth trying for an error that the reader reports in `line`: there, and on the lines before it that may have caused it."""
    near = [index for index in range(line, -1, -1) if lines[index].strip() and not lines[index].lstrip().startswith("#")]
    yield from _tabs(lines)
    for index in near[:4]:
        yield from _spaces(lines, index)
        yield from _dashes(lines, index)
    for index in near:
        yield from _openings(lines, index)
    for index in near[:2]:
        yield from _indents(lines, index)
    for index in near[:3]:
        yield from _colons(lines, index)


def _with(lines: tuple[str, ...], index: int, new: str, text: str) -> _Edit:
    return _Edit(lines=(*lines[:index], new, *lines[index + 1 :]), text=f"line {index + 1}: {text}")


def _tabs(lines: tuple[str, ...]) -> Iterator[_Edit]:
    """Tabs in the indentation become spaces, by each usual width."""
    numbers = [index + 1 for index, line in enumerate(lines) if "\t" in line[: len(line) - len(line.lstrip())]]
    if not numbers:
        return
    text = f"line{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}: tabs in the indentation became spaces"
    for width in (2, 4, 8):
        yield _Edit(lines=tuple(_untabbed(line, width) for line in lines), text=text)


def _untabbed(line: str, width: int) -> str:
    lead = line[: len(line) - len(line.lstrip())]
    return lead.replace("\t", " " * width) + line[len(lead) :]


def _spaces(lines: tuple[str, ...], index: int) -> Iterator[_Edit]:
    if found := _TIGHT.match(lines[index]):
        yield _with(lines, index, f"{found.group(1)}{found.group(2)}: {found.group(3)}", f"a space after {found.group(2)}:")


def _dashes(lines: tuple[str, ...], index: int) -> Iterator[_Edit]:
    if found := re.match(r"^(\s*)-\s*-\s*(?=\w)(.*)$", lines[index]):
        yield _with(lines, index, f"{found.group(1)}- {found.group(2)}", "one dash, not two")
    if found := re.match(r"^(\s*)-(?=[A-Za-z_])(.*)$", lines[index]):
        yield _with(lines, index, f"{found.group(1)}- {found.group(2)}", "a space after the dash")


def _openings(lines: tuple[str, ...], index: int) -> Iterator[_Edit]:
    """Quotes and brackets that the line opens and does not close."""
    body, comment = _comment(lines[index])
    for quote in "\"'":
        if body.count(quote) % 2:
            yield _with(lines, index, body.rstrip() + quote + comment, f"the quote {quote} is closed")
    for opening, closing in ("[]", "{}"):
        if body.count(opening) > body.count(closing):
            yield _with(lines, index, body.rstrip().rstrip(",") + closing + comment, f"the bracket {opening} is closed")
        if body.count(opening) < body.count(closing):
            cut = body.rstrip()
            if cut.endswith(closing):
                yield _with(lines, index, cut[:-1].rstrip() + comment, f"the bracket {closing} that nothing opens is gone")


def _comment(line: str) -> tuple[str, str]:
    found = re.search(r"\s+#.*$", line)
    return (line[: found.start()], found.group()) if found else (line, "")


def _indents(lines: tuple[str, ...], index: int) -> Iterator[_Edit]:
    """The line, or the line and what hangs on it, at each indentation that the lines above it offer."""
    line = lines[index]
    now = len(line) - len(line.lstrip())
    for column in _columns(lines, index):
        if column == now:
            continue
        text = f"indented by {column} space{'' if column == 1 else 's'}, not {now}"
        yield _with(lines, index, " " * column + line.lstrip(), text)
        stop = index + 1
        while stop < len(lines) and (not lines[stop].strip() or len(lines[stop]) - len(lines[stop].lstrip()) > now):
            stop += 1
        moved = tuple(_moved(item, column - now) for item in lines[index:stop])
        yield _Edit(lines=(*lines[:index], *moved, *lines[stop:]), text=f"line {index + 1}: {text}")


def _moved(line: str, by: int) -> str:
    if not line.strip():
        return line
    return " " * max(len(line) - len(line.lstrip()) + by, 0) + line.lstrip()


def _columns(lines: tuple[str, ...], index: int) -> list[int]:
    """Where a key may start below the lines above `index`, nearest line first: beside its key, beside its dash, or one level deeper."""
    found: list[int] = []
    for above in reversed([line for line in lines[:index] if line.strip() and not line.lstrip().startswith("#")]):
        key = _KEY.match(above)
        start = len(above) - len(above.lstrip())
        offered = [len(key.group("lead")), start] if key else [start]
        if key and not key.group("rest").strip():
            offered.insert(0, len(key.group("lead")) + 2)
        found += [column for column in offered if column not in found]
    return found


def _colons(lines: tuple[str, ...], index: int) -> Iterator[_Edit]:
    body, comment = _comment(lines[index])
    if re.fullmatch(r"\s*(?:- )?[A-Za-z_]\w*", body):
        yield _with(lines, index, body + ":" + comment, "a colon after the key")
    if found := re.fullmatch(r"(\s*(?:- )?[A-Za-z_]\w*)\s*=\s*(.*)", body):
        yield _with(lines, index, f"{found.group(1)}: {found.group(2)}{comment}", "a colon, not an equals sign, after the key")
    if found := re.fullmatch(r"(\s*(?:- )?[A-Za-z_]\w*)\s+([^\s:].*)", body):
        yield _with(lines, index, f"{found.group(1)}: {found.group(2)}{comment}", "a colon after the key")
    if found := re.fullmatch(r"(\s*(?:- )?[A-Za-z_]\w*: )([^\"'\[{].*: .*)", body):
        quoted = found.group(2).replace('"', '\\"')
        yield _with(lines, index, f'{found.group(1)}"{quoted}"{comment}', "a value with a colon in it is quoted")
