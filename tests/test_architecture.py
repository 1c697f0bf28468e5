"""The house rules, each as a test: what a newcomer must not break by accident fails here with its reason."""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import MappingProxyType

import pytest

from agent.causes.catalogue import CAUSES
from agent.strategies.catalogue import STRATEGIES
from probes.catalogue import PROBES

ROOT = Path(__file__).parents[1]
PACKAGES = ("transcripts", "probes", "agent", "evals")
LAYERS: MappingProxyType[str, int] = MappingProxyType({name: level for level, name in enumerate(PACKAGES)})
TOP_LEVEL = {"pyproject.toml", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "Makefile", "docs", "tests", *PACKAGES}
HEADINGS = ("What happens", "How it shows", "How to tell", "Fix", "Fix safety", "References")
LONGEST = 300
LONGER: MappingProxyType[str, str] = MappingProxyType(
    {
        "transcripts/records.py": "the whole vocabulary on one page: split, a newcomer would have to look for its words",
        "transcripts/variables.py": "every variable of evidence with its values and base rates on one page",
        "probes/atlas/evaluator.py": "an evaluator of Python statements: one method a kind of node",
        "probes/atlas/expressions.py": "an evaluator of Python expressions: one method a kind of node",
        "probes/atlas/natives.py": "travels to the target as one program",
        "probes/executable.py": "holds the script that travels to the target",
        "probes/versions.py": "holds the script that travels to the target",
    }
)
"""Modules that may be longer than `LONGEST` lines, each with its reason."""

LAZY = {
    "agent/cli/main.py",
    "agent/cli/atlas.py",
    "agent/cli/flags.py",
    "agent/cli/run.py",
    "agent/cli/eval.py",
    "agent/causes/catalogue.py",
    "agent/reading/literals.py",
    "probes/targets/choose.py",
    "evals/backends.py",
}
"""Who may import by name: the command line (help and a look at a table must be quick), the catalogue of causes (one file each), what reads patterns
(the parser of `re` has no public name) and the choice of a target (what a kind of target needs is heavy)."""

IN_FUNCTIONS: MappingProxyType[str, str] = MappingProxyType(
    {
        "agent/litellm_advisor.py": "litellm",
        "agent/run_statistics.py": "duckdb",
        "probes/targets/ssh.py": "asyncssh",
        "agent/cli/delivering.py": "apprise",
    }
)
"""Modules that may import a heavy library inside a function, and which."""

SPAWNING = ("probes/targets/", "probes/atlas/building/settings.py")
"""Where processes are started; everything else goes through a target."""

PURE = (
    "agent/belief.py",
    "agent/causes/",
    "agent/reading/",
    "agent/evidence.py",
    "agent/verdict.py",
    "agent/fixes.py",
    "agent/report.py",
    "probes/launches/",
    "probes/atlas/nearness.py",
    "probes/atlas/oldest.py",
    "probes/atlas/questions.py",
    "probes/atlas/store.py",
    "probes/atlas/traps.py",
    "probes/atlas/walk.py",
)
IMPURE_MODULES = {
    "time",
    "os",
    "subprocess",
    "socket",
    "random",
    "secrets",
    "uuid",
    "tempfile",
    "shutil",
    "asyncio",
    "threading",
    "requests",
    "httpx",
}
ABOUT_US = re.compile(
    r"/wor[k]/|share[d]/(?:logs|cases|flags)|\bissue[s]? #?\d|\bthe brie[f]\b|\bsub-?agen[t]|"
    r"(?<!\.)\bClaud[e]\b(?![ _-]code)|\bChatGP[T]\b|\bCopilo[t]\b",
    re.IGNORECASE,
)
"""Words about how the project was written. Each is spelled so that it does not match itself: this file is held to them as every other."""


def sources() -> list[Path]:
    """Every module of the four packages."""
    return sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))


def name_of(path: Path) -> str:
    """A file's path as it is written in the tables above."""
    return path.relative_to(ROOT).as_posix()


def module_of(path: Path) -> str:
    """A file's dotted module name."""
    return name_of(path).removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@cache
def tree_of(path: Path) -> ast.Module:
    """A file's syntax tree."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def imports_of(tree: ast.AST) -> Iterator[tuple[ast.stmt, str]]:
    """Every import in a tree with the full name of what it imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node, alias.name
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node, node.module
            for alias in node.names:
                yield node, f"{node.module}.{alias.name}"


def units(folder: str, constant: str) -> dict[str, Path]:
    """The modules below `folder` that define `constant`: those are its units."""
    found: dict[str, Path] = {}
    for path in sorted((ROOT / folder).rglob("*.py")):
        for node in tree_of(path).body:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
            if any(isinstance(target, ast.Name) and target.id == constant for target in targets):
                found[module_of(path)] = path
    return found


CAUSE_UNITS = units("agent/causes", "CAUSE")
PROBE_UNITS = units("probes", "PROBE")


@pytest.mark.parametrize("path", sources(), ids=name_of)
def test_imports_go_down_only(path: Path) -> None:
    """A package imports from itself and from those below it; only the command line may reach up to evals."""
    own = name_of(path).partition("/")[0]
    above = {name for _, name in imports_of(tree_of(path)) if LAYERS.get(name.partition(".")[0], -1) > LAYERS[own]}
    if name_of(path).startswith("agent/cli/"):
        above = {name for name in above if not name.startswith("evals")}

    assert set() == above


@pytest.mark.parametrize("path", sources(), ids=name_of)
def test_imports_stand_at_the_top(path: Path) -> None:
    """No function imports, but for the heavy libraries that are declared."""
    inside = {
        name.partition(".")[0]
        for function in ast.walk(tree_of(path))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for _, name in imports_of(function)
    }

    assert inside <= {IN_FUNCTIONS.get(name_of(path), "")}


@pytest.mark.parametrize("path", sources(), ids=name_of)
def test_modules_are_short(path: Path) -> None:
    """A module has at most 300 lines; an exception is listed with its reason."""
    lines = len(path.read_text(encoding="utf-8").splitlines())

    assert lines <= LONGEST or name_of(path) in LONGER


def test_long_modules_are_still_long() -> None:
    """An exception that is no longer needed is taken off the list."""
    assert {name for name in LONGER if len((ROOT / name).read_text(encoding="utf-8").splitlines()) <= LONGEST} == set()


def test_one_broad_except_in_the_whole_program() -> None:
    """Only the last line of the command line catches everything; a bug is neither caught nor renamed anywhere else."""
    broad = [name_of(path) for path in sources() for node in ast.walk(tree_of(path)) if isinstance(node, ast.ExceptHandler) and _is_broad(node.type)]

    assert ["agent/cli/main.py"] == broad


def _is_broad(kind: ast.expr | None) -> bool:
    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return any(item is None or (isinstance(item, ast.Name) and item.id in ("Exception", "BaseException")) for item in kinds)


@pytest.mark.parametrize("path", sources(), ids=name_of)
def test_no_check_is_switched_off_by_a_comment(path: Path) -> None:
    """Types are mended, not ignored."""
    assert "type: ignore" not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", sources(), ids=name_of)
def test_processes_are_started_by_targets_alone(path: Path) -> None:
    """Whoever wants something run asks a target, so that another kind of place is one more file."""
    starters = {name for _, name in imports_of(tree_of(path)) if name.partition(".")[0] in ("subprocess", "pty")}

    assert not starters or name_of(path).startswith((*SPAWNING, "evals/"))


@pytest.mark.parametrize("path", sources(), ids=name_of)
def test_litellm_is_imported_by_its_advisor_alone(path: Path) -> None:
    """Everything works without a language model; its library is one module's business."""
    users = {name for _, name in imports_of(tree_of(path)) if name.partition(".")[0] == "litellm"}

    assert not users or name_of(path) == "agent/litellm_advisor.py"


@pytest.mark.parametrize("path", [path for path in sources() if not name_of(path).startswith("probes/atlas/building/")], ids=name_of)
def test_the_package_index_is_the_builders_alone(path: Path) -> None:
    """The atlas is asked without its builder, which is imported by name where it is wanted: its client of the index is an extra."""
    assert set() == {name for _, name in imports_of(tree_of(path)) if name.startswith(("unearth", "httpx2", "probes.atlas.building"))}


@pytest.mark.parametrize("path", [path for path in sources() if name_of(path).startswith(PURE)], ids=name_of)
def test_the_core_is_pure(path: Path) -> None:
    """Readers, shapes, belief and causes are functions of events: no clock, no file, no network, no chance."""
    tree = tree_of(path)
    impure = {name for _, name in imports_of(tree) if name.partition(".")[0] in IMPURE_MODULES and name != "os.path"}
    clocks = {node.lineno for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr in ("now", "utcnow", "today")}
    opens = {node.lineno for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "open"}

    assert set() == impure
    assert set() == clocks
    assert set() == opens


@pytest.mark.parametrize("path", sources(), ids=name_of)
def test_who_imports_by_name_is_declared(path: Path) -> None:
    """Imports by name are hidden from every tool, so they are few and listed."""
    calls = [node.func for node in ast.walk(tree_of(path)) if isinstance(node, ast.Call)]
    by_name = [call for call in calls if "import_module" in (getattr(call, "id", ""), getattr(call, "attr", ""))]

    assert not by_name or name_of(path) in LAZY


def test_catalogue_of_causes_is_its_folder() -> None:
    """Every cause's file is in the catalogue and the other way round, under the id that its path says."""
    filed = {module.removeprefix("agent.causes.").replace(".", "/").replace("_", "-") for module in CAUSE_UNITS}

    assert filed == {cause.id for cause in CAUSES}
    assert len(CAUSES) == len({cause.id for cause in CAUSES})


def test_catalogue_of_probes_is_its_folder() -> None:
    """Every probe's file is in the catalogue and the other way round, under the name that its path says."""
    filed = {module.removeprefix("probes.").replace("_", "-") for module in PROBE_UNITS}

    assert filed == {probe.name for probe in PROBES}
    assert len(PROBES) == len({probe.name for probe in PROBES})


def test_catalogue_of_strategies_is_its_folder() -> None:
    """Every strategy's file is in the catalogue and the other way round."""
    files = {path.stem for path in (ROOT / "agent" / "strategies").glob("*.py")} - {"__init__", "catalogue", "strategy"}

    assert {name.replace("_", "-") for name in files} == set(STRATEGIES)


@pytest.mark.parametrize(("folder", "found"), [("causes", CAUSE_UNITS), ("probes", PROBE_UNITS)], ids=["causes", "probes"])
def test_units_do_not_know_each_other(folder: str, found: dict[str, Path]) -> None:
    """A cause imports no other cause and a probe no other probe: adding one touches none."""
    known = {(module, name) for module, path in found.items() for _, name in imports_of(tree_of(path)) if name in found and name != module}

    assert set() == known


def test_strategies_do_not_know_each_other() -> None:
    """A strategy imports no other strategy."""
    names = {f"agent.strategies.{name.replace('-', '_')}" for name in STRATEGIES}
    known = {
        (module, name) for module in names for _, name in imports_of(tree_of(ROOT / (module.replace(".", "/") + ".py"))) if name in names - {module}
    }

    assert set() == known


@pytest.mark.parametrize("path", sorted((ROOT / "agent" / "causes").rglob("*.py")), ids=name_of)
def test_causes_know_only_the_vocabulary(path: Path) -> None:
    """A cause is a table and a mend: of ours it imports the vocabulary, launches, flags and what causes share."""
    allowed = (
        "agent.causes",
        "transcripts",
        "probes.launches",
        "probes.atlas",
        "probes.probe",
        "probes.frameworks.framework",
        "probes.frameworks.catalogue",
        "probes.frameworks.proxy_sections",
    )
    ours = {name for _, name in imports_of(tree_of(path)) if name.partition(".")[0] in PACKAGES and name not in ("agent", "probes")}

    assert set() == {name for name in ours if not name.startswith(allowed)}


@pytest.mark.parametrize("path", CAUSE_UNITS.values(), ids=name_of)
def test_causes_explain_themselves(path: Path) -> None:
    """A cause's docstring has the six headings, in order, for the user's pages are made of it."""
    lines = (ast.get_docstring(tree_of(path)) or "").splitlines()

    assert list(HEADINGS) == [line for line in lines if line in HEADINGS]


@pytest.mark.parametrize("cause", CAUSES, ids=lambda cause: cause.id)
def test_every_cause_has_data(cause: object) -> None:
    """A cause comes with recorded situations in which it must win or lose."""
    identifier = str(getattr(cause, "id", ""))

    assert list((ROOT / "tests" / "causes" / identifier.replace("-", "_")).glob("*.toml")) or list(
        (ROOT / "tests" / "causes" / identifier).glob("*.toml")
    )


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.name)
def test_every_probe_has_data(probe: object) -> None:
    """A probe comes with recorded answers of real tools."""
    name = str(getattr(probe, "name", ""))

    assert list((ROOT / "tests" / "probes" / name.replace("-", "_")).glob("*.toml")) or list((ROOT / "tests" / "probes" / name).glob("*.toml"))


def test_imports_have_no_side_effects(tmp_path: Path) -> None:
    """Every module can be imported with stdout closed and a home that cannot be written: nothing is printed, made or asked for."""
    tmp_path.chmod(0o555)
    modules = [module_of(path) for path in sources() if path.name != "__main__.py"]
    code = f"import importlib\nfor name in {modules!r}:\n    importlib.import_module(name)\n"
    environment = {**os.environ, "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", "import os; os.close(1)\n" + code],
        cwd=ROOT,
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
        timeout=120,
        check=False,
    )

    assert (0, "") == (done.returncode, done.stderr)
    assert [] == list(tmp_path.iterdir())


def test_top_level_holds_only_what_is_agreed() -> None:
    """The top level is a table of contents: nothing lands there by accident."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    names = {name.partition("/")[0] for name in listed.stdout.split("\0") if name}

    assert {name for name in names if not name.startswith(".")} <= TOP_LEVEL


@pytest.mark.parametrize(
    "path", [*sources(), *sorted((ROOT / "tests").rglob("*.py")), *sorted((ROOT / "docs").rglob("*.*")), *sorted(ROOT.glob("*.md"))], ids=name_of
)
def test_the_project_speaks_of_itself_alone(path: Path) -> None:
    """A file tells its reader about the thing, never about how it came to be written."""
    assert not path.is_file() or not ABOUT_US.findall(path.read_text(encoding="utf-8", errors="replace"))


@pytest.mark.parametrize("path", sorted((ROOT / "tests").rglob("test_*.py")), ids=name_of)
def test_every_test_states_its_claim(path: Path) -> None:
    """A test is a function with a docstring that says in a sentence what it claims."""
    tree = tree_of(path)
    silent = [
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_") and not ast.get_docstring(node)
    ]

    assert [] == silent
    assert not [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name.startswith("Test")]
