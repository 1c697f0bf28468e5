"""What the LiteLLM proxy asks of its configuration file, and edits of the lines that do not have it. Pure functions.

Learnt from the proxy itself (1.11x): it refuses an entry of `model_list` without `model_name`, `litellm_params` or its `model`, a list or a
section of another kind, and a routing strategy that it does not know. A section whose name is misspelt it ignores in silence, and then serves
no model at all: that counts as refused here.
"""

from collections.abc import Iterator

import yaml
from rapidfuzz import fuzz, process

from agent.causes.config import yaml_lines
from probes.frameworks.proxy_sections import MAPPINGS, SECTIONS
from transcripts.records import Record

Lines = tuple[str, ...]

ENTRY_KEYS = ("model_name", "litellm_params", "model_info")
STRATEGIES = (
    "simple-shuffle",
    "least-busy",
    "latency-based-routing",
    "cost-based-routing",
    "usage-based-routing-v2",
    "usage-based-routing",
    "provider-budget-routing",
)
_NEAR = 75.0
_ROUNDS = 60

Pair = tuple[yaml.Node, yaml.Node]


class Flaw(Record, frozen=True, kw_only=True):
    """One thing that the proxy refuses: in words, with the lines as they should be and what the edit did (None: nobody can say)."""

    text: str
    lines: Lines | None = None
    change: str = ""


def flaws(text: str) -> tuple[Flaw, ...]:
    """Everything that the proxy would refuse in a text that is YAML."""
    lines = tuple(text.split("\n"))
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    return tuple(_flaws(lines, root))


def complaints(text: str) -> int:
    """How many things the proxy would refuse."""
    return len(flaws(text))


def mended(lines: Lines) -> tuple[Lines, tuple[str, ...]]:
    """The lines after every edit that is beyond doubt, and each in words."""
    changes: list[str] = []
    for _ in range(_ROUNDS):
        found = next((flaw for flaw in flaws("\n".join(lines)) if flaw.lines is not None), None)
        if found is None or found.lines is None or not _sound(found.lines):
            break
        lines = found.lines
        changes.append(found.change)
    return lines, tuple(changes)


def _sound(lines: Lines) -> bool:
    try:
        yaml.safe_load("\n".join(lines))
    except yaml.YAMLError:
        return False
    return True


def _flaws(lines: Lines, root: yaml.Node | None) -> Iterator[Flaw]:
    if root is None:
        yield Flaw(text="the file is empty")
        return
    if not isinstance(root, yaml.MappingNode):
        yield _spaced(lines, root, "the file")
        return
    names = _names(root)
    for key, value in root.value:
        name = _text(key)
        near = _near(name, tuple(item for item in SECTIONS if item not in names), 80.0) if name not in SECTIONS else None
        if near:
            yield _renamed(lines, key, near)
        if name == "model_list":
            yield from _list_flaws(lines, value)
        elif name in MAPPINGS:
            yield from _mapping_flaws(lines, value, name)
        if name == "router_settings":
            yield from _router_flaws(lines, value)


def _list_flaws(lines: Lines, value: yaml.Node) -> Iterator[Flaw]:
    if isinstance(value, yaml.MappingNode):
        edited = yaml_lines.as_entry(lines, value) if any(_near(name, ENTRY_KEYS) or name in ENTRY_KEYS for name in _names(value)) else None
        yield Flaw(
            text="model_list is a mapping, not a list",
            lines=edited,
            change=f"line {_line(value)}: model_list is a list: its entry starts with a dash",
        )
    elif not isinstance(value, yaml.SequenceNode):
        if _text(value):
            yield Flaw(text="model_list is no list")
    else:
        for entry in value.value:
            yield from _entry_flaws(lines, entry)


def _entry_flaws(lines: Lines, entry: yaml.Node) -> Iterator[Flaw]:
    if not isinstance(entry, yaml.MappingNode):
        yield _spaced(lines, entry, f"the entry of model_list in line {_line(entry)}")
        return
    names = _names(entry)
    where = f"the entry of model_list in line {_line(entry)}"
    for key, _ in entry.value:
        near = _near(_text(key), tuple(item for item in ENTRY_KEYS if item not in names)) if _text(key) not in (*ENTRY_KEYS, "model") else None
        if near:
            yield _renamed(lines, key, near)
            return
    yield from _inner_sections(entry, where)
    parameters = _value(entry, "litellm_params")
    if parameters is None or _empty(parameters):
        yield Flaw(
            text=f"{where} has no litellm_params",
            lines=yaml_lines.gathered(lines, entry, "litellm_params", ENTRY_KEYS) if set(names) - set(ENTRY_KEYS) else None,
            change=f"line {_line(entry)}: what belongs to litellm_params stands under it",
        )
        return
    if "model_name" not in names:
        model = _text(_value(parameters, "model")) if isinstance(parameters, yaml.MappingNode) else ""
        name = model.rpartition("/")[2]
        edited = yaml_lines.opened(lines, entry, f"model_name: {name}") if name else None
        yield Flaw(text=f"{where} has no model_name", lines=edited, change=f"line {_line(entry)}: the model is called {name}")
    yield from _mapping_flaws(lines, parameters, "litellm_params")
    if isinstance(parameters, yaml.MappingNode) and "model" not in _names(parameters):
        yield _model_flaw(lines, entry, parameters)
    named = _value(parameters, "model")
    if named is not None and named.tag in ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float"):
        change = f"line {_line(named)}: the model is a text"
        yield Flaw(text="the model is a number, not a text", lines=yaml_lines.replaced(lines, named, f'"{_text(named)}"'), change=change)


def _inner_sections(node: yaml.Node, name: str) -> Iterator[Flaw]:
    inside = [item for item in _names(node) if item in SECTIONS]
    if inside:
        yield Flaw(text=f"{', '.join(inside)} stands inside {name}, not at the top")


def _empty(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.value.strip() in ("", "null", "~")


def _model_flaw(lines: Lines, entry: yaml.MappingNode, parameters: yaml.MappingNode) -> Flaw:
    text = f"litellm_params in line {_line(parameters)} names no model"
    for key, _ in parameters.value:
        if _near(_text(key), ("model",)):
            found = _renamed(lines, key, "model")
            return Flaw(text=text, lines=found.lines, change=found.change)
    outside = tuple(name for name in _names(entry) if name not in ENTRY_KEYS)
    edited = yaml_lines.gathered(lines, entry, "litellm_params", ENTRY_KEYS) if "model" in outside else None
    return Flaw(text=text, lines=edited, change=f"line {_line(entry)}: {', '.join(outside)} moved under litellm_params")


def _mapping_flaws(lines: Lines, value: yaml.Node, name: str) -> Iterator[Flaw]:
    yield from _inner_sections(value, name)
    if isinstance(value, yaml.SequenceNode):
        items = value.value
        edited = yaml_lines.undashed(lines, value) if items and all(isinstance(item, yaml.MappingNode) for item in items) else None
        yield Flaw(text=f"{name} is a list, not a mapping", lines=edited, change=f"line {_line(value)}: {name} is a mapping: its keys have no dash")
    elif isinstance(value, yaml.ScalarNode) and value.value.strip():
        yield _spaced(lines, value, name)


def _router_flaws(lines: Lines, value: yaml.Node) -> Iterator[Flaw]:
    strategy = _value(value, "routing_strategy") if isinstance(value, yaml.MappingNode) else None
    if strategy is None or not _text(strategy) or _text(strategy) in (*STRATEGIES, "lar1"):
        return
    near = _near(_text(strategy), STRATEGIES)
    edited = yaml_lines.replaced(lines, strategy, near) if near else None
    change = f"line {_line(strategy)}: routing_strategy is {near}, not {_text(strategy)}"
    yield Flaw(text=f"there is no routing strategy {_text(strategy)}", lines=edited, change=change)


def _spaced(lines: Lines, node: yaml.Node, name: str) -> Flaw:
    """A text where keys are wanted: usually ``key:value`` without the space."""
    edited = yaml_lines.spaced(lines, node)
    return Flaw(text=f"{name} is a text where keys are wanted", lines=edited, change=f"line {_line(node)}: a space after the colon")


def _renamed(lines: Lines, key: yaml.Node, name: str) -> Flaw:
    change = f"line {_line(key)}: {_text(key)} is called {name}"
    return Flaw(text=f"line {_line(key)}: there is no {_text(key)}", lines=yaml_lines.replaced(lines, key, name), change=change)


def _near(name: str, known: tuple[str, ...], cutoff: float = _NEAR) -> str | None:
    plain = _plain(name)
    found = process.extractOne(plain, known, scorer=fuzz.ratio, processor=_plain, score_cutoff=cutoff) if plain else None
    return found[0] if found else None


def _plain(name: str) -> str:
    return name.strip().lower().replace("-", "_").replace(" ", "_")


def _names(node: yaml.Node) -> list[str]:
    return [_text(key) for key, _ in node.value] if isinstance(node, yaml.MappingNode) else []


def _value(node: yaml.Node, name: str) -> yaml.Node | None:
    pairs: list[Pair] = node.value if isinstance(node, yaml.MappingNode) else []
    return next((value for key, value in pairs if _text(key) == name), None)


def _text(node: yaml.Node | None) -> str:
    return str(node.value) if isinstance(node, yaml.ScalarNode) else ""


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1
