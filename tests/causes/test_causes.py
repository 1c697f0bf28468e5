"""Every cause against its situations, over the whole catalogue, and the form that a cause must have."""

import re
import string
import tomllib
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.belief import believe, ranking
from agent.causes.catalogue import CAUSES
from agent.causes.cause import Cause
from agent.fixes import compose
from probes.atlas.table import Flag, FlagTable
from probes.frameworks.catalogue import by_name, find_entry, recognise
from probes.launches.arrival import Arrival, Word
from probes.launches.understand import understand
from probes.probe import Situation
from transcripts.records import Fix, Hypothesis, Launch, Sign
from transcripts.variables import BY_NAME

HERE = Path(__file__).parent
SOURCES = Path(__file__).parents[2] / "agent" / "causes"
FILES = sorted(HERE.glob("*/*/*.toml"))
BY_ID = {cause.id: cause for cause in CAUSES}
HEADINGS = ("What happens", "How it shows", "How to tell", "Fix", "Fix safety", "References")


@cache
def _load(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _name(path: Path) -> str:
    return "/".join((*path.parts[-3:-1], path.stem))


def _id(path: Path) -> str:
    return "/".join(path.parts[-3:-1]).replace("_", "-")


def _signs(data: dict[str, Any]) -> tuple[Sign, ...]:
    return tuple(
        Sign(variable=sign["variable"], value=sign["value"], parameters=sign.get("parameters", {}), source=sign.get("source", ""))
        for sign in data.get("signs", ())
    )


def _table(data: dict[str, Any], framework: str, release: str) -> FlagTable | None:
    """The flags of a situation: ``switches``, ``valued`` and ``json`` are lists of names, ``aliases`` of one option apart by a blank."""
    if "table" not in data:
        return None
    flags = tuple(
        Flag(
            names=tuple(names.split()),
            dest=names.split()[0].lstrip("-").replace("-", "_"),
            takes_value=kind != "switches",
            json_config="dict" if kind == "json" else "",
        )
        for kind in ("switches", "valued", "json")
        for names in data["table"].get(kind, ())
    )
    return FlagTable(framework=framework, release=release, flags=flags, config_keys=data["table"].get("config_keys", {}))


def _situation(data: dict[str, Any]) -> Situation:
    """The situation of a file: the launch as it arrives where it has one, else a log alone."""
    told = data.get("launch", {})
    argv = tuple(told.get("argv", ()))
    shell = told.get("shell")
    launch = Launch(argv=argv or (("bash", "-c", shell) if shell else ()), shell=shell, env=told.get("env", {}))
    files: dict[str, str | None] = dict(told.get("files", {}))
    arrival = understand(launch, files=files, environment=told.get("env", {}), find_entry=find_entry) if launch.argv else Arrival()
    found = recognise(arrival.argv)
    framework = found[0] if found else by_name(told.get("framework", ""))
    release = told.get("release", "")
    return Situation(
        launch=launch,
        arrival=arrival,
        framework=framework,
        entry=found[1] if found else None,
        release=release,
        table=_table(data, framework.name if framework else "", release),
        data=data.get("data", {}),
        can_ask=bool(launch.argv),
    )


def _framework(data: dict[str, Any], situation: Situation) -> str:
    return situation.framework.name if situation.framework else str(data.get("launch", {}).get("framework", ""))


def _fix(data: dict[str, Any], cause: Cause, hypothesis: Hypothesis, situation: Situation) -> Fix:
    assert cause.mend is not None, f"{cause.id} has nothing that mends it"
    repairs = cause.mend(hypothesis, situation)
    assert repairs, f"{cause.id} gives no repair here"
    return compose(situation.launch, situation, [(hypothesis, repairs[data["expect"].get("repair", 0)])])


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_the_catalogue_judges_the_situation_as_expected(path: Path) -> None:
    """Over the whole catalogue, the cause that must win wins by as much as stated, and the others stay as low as stated."""
    data = _load(path)
    expect = data["expect"]
    belief, _ = believe(CAUSES, _signs(data), _framework(data, _situation(data)))
    ranked = ranking(belief)
    probabilities = {**dict(ranked), "unknown": belief.unknown}
    top = max(probabilities, key=lambda cause: probabilities[cause])
    if "top" in expect:
        assert top == expect["top"], f"{ranked[:4]}, unknown {belief.unknown:.3f}"
        assert probabilities[top] >= expect.get("at_least", 0.0), f"{ranked[:4]}, unknown {belief.unknown:.3f}"
    not_top = expect.get("not_top", [])
    assert top not in ([not_top] if isinstance(not_top, str) else not_top), f"{ranked[:4]}, unknown {belief.unknown:.3f}"
    for cause, limit in expect.get("at_most", {}).items():
        highest = max((probability for name, probability in probabilities.items() if fnmatchcase(name, cause)), default=0.0)
        assert highest <= limit, f"{cause} has {highest:.4f}"


@pytest.mark.parametrize("path", [path for path in FILES if {"fix_argv", "fix_contains"} & set(_load(path)["expect"])], ids=_name)
def test_the_cause_that_wins_mends_the_launch(path: Path) -> None:
    """The first repair of the winning cause makes the argv that is expected, or says what is expected."""
    data = _load(path)
    expect = data["expect"]
    situation = _situation(data)
    belief, _ = believe(CAUSES, _signs(data), _framework(data, situation))
    cause = BY_ID[expect["top"]]
    hypothesis = next(item.hypothesis for item in belief.weighed if item.hypothesis.cause == cause.id)
    fix = _fix(data, cause, hypothesis, situation)
    if "fix_argv" in expect:
        assert list(fix.argv) == expect["fix_argv"]
    said = "\n".join((fix.summary, fix.shell, *fix.argv, *fix.steps, *(file.text for file in fix.files)))
    contained = expect.get("fix_contains", [])
    for text in [contained] if isinstance(contained, str) else contained:
        assert text in said, said


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_a_situation_names_only_what_exists(path: Path) -> None:
    """Signs are values of known variables, and every cause that a situation names is in the catalogue."""
    data = _load(path)
    for sign in _signs(data):
        assert sign.value in BY_NAME[sign.variable].rates, f"{sign.variable}={sign.value}"
    expect = data["expect"]
    not_top = expect.get("not_top", [])
    named = {expect.get("top", "unknown"), *([not_top] if isinstance(not_top, str) else not_top), *expect.get("at_most", {})}
    assert {name for name in named if name != "unknown" and not name.endswith("/*")} <= set(BY_ID)
    assert set(data) <= {"about", "signs", "launch", "table", "data", "expect"}
    assert set(expect) <= {"top", "at_least", "at_most", "not_top", "fix_argv", "fix_contains", "repair"}


@pytest.mark.parametrize("cause", CAUSES, ids=lambda cause: cause.id)
def test_every_cause_has_situations_in_which_it_wins_and_a_near_miss(cause: Cause) -> None:
    """At least two situations a cause: one in which it leads, and one much like it in which it must not."""
    mine = [_load(path)["expect"] for path in FILES if _id(path) == cause.id]
    assert len(mine) >= 2, f"situations of {cause.id} are in tests/causes/{cause.id}/NAME.toml"
    assert any(expect.get("top") == cause.id for expect in mine), f"no situation in which {cause.id} wins"
    missed = [expect for expect in mine if cause.id in expect.get("not_top", []) or expect.get("top", cause.id) != cause.id]
    assert missed, f"no near miss in which {cause.id} must not win (expect.not_top)"


@pytest.mark.parametrize("cause", CAUSES, ids=lambda cause: cause.id)
def test_the_docstring_of_a_cause_has_its_headings(cause: Cause) -> None:
    """The file of a cause explains it under the same six headings, in order, and no heading is empty."""
    text = _source(cause.id).read_text(encoding="utf-8")
    docstring = text.split('"""')[1]
    found = [re.search(rf"^\W*{heading}\W*$", docstring, re.MULTILINE) for heading in HEADINGS]
    missing = [heading for heading, match in zip(HEADINGS, found, strict=True) if match is None]
    assert missing == []
    places = [match.span() for match in found if match]
    assert places == sorted(places)
    assert all(docstring[end:start].strip() for (_, end), (start, _) in zip(places, [*places[1:], (len(docstring), 0)], strict=True))


def test_the_catalogue_is_what_stands_in_the_folders() -> None:
    """Every file that defines a cause is in the catalogue once, under the id that its path says."""
    there = {_id_of(path) for path in SOURCES.glob("*/*.py") if re.search(r"^CAUSE\b", path.read_text(encoding="utf-8"), re.MULTILINE)}
    assert {cause.id for cause in CAUSES} == there
    assert len(CAUSES) == len(BY_ID)


@pytest.mark.parametrize("cause", CAUSES, ids=lambda cause: cause.id)
def test_the_table_of_a_cause_is_probabilities(cause: Cause) -> None:
    """Every variable and value exists, every number is a probability, and those of a variable do not sum to more than one."""
    assert 0.0 < cause.prior < 0.2
    assert cause.table
    for variable, values in cause.table.items():
        assert set(values) <= set(BY_NAME[variable].rates), variable
        assert all(0.0 < probability <= 1.0 for probability in values.values()), variable
        assert sum(values.values()) <= 1.0 + 1e-9, variable


@pytest.mark.parametrize("cause", CAUSES, ids=lambda cause: cause.id)
def test_the_summary_speaks_of_the_parameters_of_its_cause(cause: Cause) -> None:
    """Every placeholder of the summary is a subject or a parameter of the cause; summary and advice say something."""
    placeholders = {name for _, name, _, _ in string.Formatter().parse(cause.summary) if name}
    assert placeholders <= {*cause.subject, *cause.parameters}
    assert cause.summary.strip()
    assert cause.advice.strip()


@pytest.mark.parametrize("cause", CAUSES, ids=lambda cause: cause.id)
def test_a_cause_can_be_mended_from_a_log_alone(cause: Cause) -> None:
    """Where nothing is known but the cause, mending it gives words and no change of an argv that nobody has seen."""
    repairs = cause.mend(Hypothesis(cause=cause.id), Situation(launch=Launch(argv=()), arrival=Arrival())) if cause.mend else ()
    assert [repair.changes for repair in repairs if repair.changes] == []


_WORDS = st.sampled_from(
    [
        "--a",
        "--a=1",
        "-b",
        "{method:",
        "x}",
        "true",
        "$N",
        "",
        " ",
        "–port",
        "'{\"a\": 1}'",
        '{\\"a\\"',
        "image=4",
        "--a b",
        "[",
        "C:/x/y",
        "{{",
        "a b c",
        "~/m",
    ]
)
_NAMES = st.sampled_from(
    ["flag", "value", "near", "matches", "tokens", "index", "length", "choices", "model", "path", "successor", "config", "after", "message"]
)


@settings(max_examples=300, deadline=None)
@given(
    cause=st.sampled_from(CAUSES),
    words=st.lists(_WORDS, max_size=5),
    parameters=st.dictionaries(_NAMES, _WORDS | st.sampled_from(["1", "3", "99"]), max_size=5),
)
def test_mending_stands_any_launch_and_any_parameters(cause: Cause, words: list[str], parameters: dict[str, str]) -> None:
    """Whatever the words and the parameters are, a cause suggests and mends without an error, within the words that are there."""
    argv = ("vllm", "serve", "/m", *words)
    situation = Situation(launch=Launch(argv=argv), arrival=Arrival(words=tuple(Word(text=word) for word in argv)), framework=by_name("vllm"))
    values = list(cause.table.get("error", {"other": 1.0}))
    signs = (Sign(variable="error", value=values[0], parameters=parameters),)
    suggested = list(cause.suggest(signs)) if cause.suggest else [parameters]
    for about in suggested:
        for repair in cause.mend(Hypothesis(cause=cause.id, parameters=about), situation) if cause.mend else ():
            assert all(0 <= change.start <= change.stop <= len(argv) for change in repair.changes)


def _source(identifier: str) -> Path:
    return SOURCES / f"{identifier.replace('-', '_')}.py"


def _id_of(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}".replace("_", "-")
