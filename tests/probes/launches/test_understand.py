"""What arrives at the server program through the layers of a launch."""

import shlex
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from probes.launches.quoting import quoted
from probes.launches.understand import FindEntry, needs, understand
from transcripts.records import Launch

HOME = {"HOME": "/home/me", "PATH": "/usr/bin"}
CASES = tomllib.loads((Path(__file__).parent / "launches.toml").read_text())["launch"]
KNOWN = {"PATH": "/usr/bin:/bin", "HOME": "/home/me", "A": "x y", "B": '{"a": 1, "b": 2}', "E": ""}


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_what_arrives(case: dict[str, Any], find_entry: FindEntry) -> None:
    """The argv that arrives, the one meant and the losses follow from the launch alone."""
    files = {path: text.lstrip("\n") for path, text in case.get("files", {}).items()}
    launch = Launch(argv=tuple(case.get("argv", ())), shell=case.get("line"))
    arrival = understand(launch, files=files, environment=HOME, find_entry=find_entry)
    assert list(arrival.argv) == case["received"]
    assert list(arrival.meant) == case.get("meant", case["received"])
    assert [loss.kind for loss in arrival.losses] == case["losses"]
    assert arrival.certain is case.get("certain", True)
    for key in ("env", "cwd"):
        if key in case:
            assert getattr(arrival, key) == case[key]


def test_files_are_asked_for_in_turn() -> None:
    """A script is needed first, and what it sources after it was read; an unreadable one is a problem."""
    launch = Launch(argv=("bash", "start.sh"))
    assert needs(launch, {}, HOME) == ("start.sh",)
    assert needs(launch, {"start.sh": "source a.env; vllm serve m"}, HOME) == ("a.env",)
    assert needs(launch, {"start.sh": None}, HOME) == ()
    arrival = understand(launch, files={"start.sh": None}, environment=HOME)
    assert not arrival.certain
    assert "start.sh" in arrival.problems[0].text


def test_words_know_their_place(find_entry: FindEntry) -> None:
    """Each word of a script carries its file, line and text there, elements of arrays those of the array."""
    text = "#!/bin/bash\nARGS=(\n  --a\n  'b c'\n)\nexec vllm serve m \\\n  --x $X \\\n  \"${ARGS[@]}\"\n"
    launch = Launch(argv=("./s.sh",))
    words = understand(launch, files={"./s.sh": text}, environment={**HOME, "X": "1"}, find_entry=find_entry).words
    assert [(word.raw, word.source) for word in words[2:]] == [
        ("m", "./s.sh:6"),
        ("--x", "./s.sh:7"),
        ("$X", "./s.sh:7"),
        ("--a", "./s.sh:3"),
        ("'b c'", "./s.sh:4"),
    ]


def test_secrets_are_values() -> None:
    """A name that stands for a hidden value is no unexpanded variable."""
    arrival = understand(Launch(argv=("vllm", "serve", "m", "--api-key", "$KEY"), secrets=("KEY",)), files={}, environment=HOME)
    assert arrival.losses == ()
    typed = understand(Launch(argv=(), shell="vllm serve m --api-key $KEY", secrets=("KEY",)), files={}, environment=HOME)
    assert typed.argv[-1] == "$KEY"


@pytest.mark.parametrize("line", ["vllm serve 'open", "vllm serve (x", "if true; then", "vllm $(", "", "   ", "&&", "\0", "'" * 99])
def test_text_that_does_not_parse(line: str) -> None:
    """A text that is no shell command ends in a problem with its place, never in an exception."""
    arrival = understand(Launch(argv=(), shell=line), files={}, environment=HOME)
    assert not arrival.certain
    assert arrival.problems


def test_meaning_of_pieces_points_to_the_first() -> None:
    """Words that are pieces of one value share the index of the first, which alone says what was meant."""
    words = understand(Launch(argv=("vllm", "--x", "{a:", "1}")), files={}, environment=HOME).words
    assert [(word.meant, word.piece_of) for word in words] == [("", -1), ("", -1), ('{"a": 1}', 2), ("", 2)]


def test_the_serving_command_of_several(find_entry: FindEntry) -> None:
    """Of the commands of a script the serving one is the launch, whatever runs before and behind it."""
    text = "nvidia-smi\nvllm --version\nvllm serve m > log 2>&1 &\nsleep 5\ncurl localhost\nwait\n"
    arrival = understand(Launch(argv=(), shell=text), files={}, environment=HOME, find_entry=find_entry)
    assert arrival.argv == ("vllm", "serve", "m")
    assert understand(Launch(argv=(), shell=text), files={}, environment=HOME).argv == ("vllm", "serve", "m")


ATOMS = st.sampled_from(
    [*"{}ab,: ='\"/[#-!", "$A", "$B", "${E}", '"$B"', "${X:-d e}", "{a,b}", "{1..3}", '\\"', "\\ ", "'{\"a\": 1}'", '{"a": 1,"b":2}', "$(echo q w)"]
)


@pytest.mark.parametrize("shell", ["bash", "dash"])
@settings(max_examples=40, deadline=None, derandomize=True)
@given(text=st.lists(ATOMS, max_size=10).map("".join))
def test_words_are_those_of_the_real_shell(shell: str, text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Any line that a real shell takes is predicted word for word."""
    line = f"printf '%s\\0' x {text}"
    run = subprocess.run([shell, "-c", line], env=KNOWN, capture_output=True, text=True, timeout=20, cwd=tmp_path_factory.getbasetemp())
    assume(run.returncode == 0 and not run.stderr)
    arrival = understand(Launch(argv=(shell, "-c", line)), files={}, environment=KNOWN)
    assert arrival.argv[2:] == tuple(run.stdout.split("\0")[:-1])


WORDS = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12), max_size=4)
LAYERS = st.lists(st.sampled_from(["bash", "sh", "env", "ssh", "nohup", "docker", "eval"]), max_size=4)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(words=WORDS, layers=LAYERS)
def test_quoted_words_survive_any_layers(words: list[str], layers: list[str]) -> None:
    """An argv quoted once for each shell it passes through arrives as it is."""
    argv = ["vllm", "serve", *words]
    wrapped = argv
    for layer in layers:
        wrapped = {
            "bash": ["bash", "-c", quoted(wrapped)],
            "sh": ["sh", "-c", quoted(wrapped)],
            "env": ["env", "A=1", *(wrapped if wrapped[0] != "eval" else argv)],
            "ssh": ["ssh", "host", quoted(wrapped)],
            "nohup": ["nohup", *(wrapped if wrapped[0] != "eval" else argv)],
            "docker": ["docker", "exec", "c", *(wrapped if wrapped[0] != "eval" else argv)],
            "eval": ["bash", "-c", "eval " + shlex.quote(quoted(wrapped))],
        }[layer]
    assert list(understand(Launch(argv=tuple(wrapped)), files={}, environment=HOME).argv) == argv


@pytest.mark.parametrize(
    "text", ["$(" * 20000, "{a,b}" * 20000, '\'{"a"' * 20000, "a " * 20000, "if true; then " * 2000, "${a:-" * 5000, "f() { f; f; }; f", "\\" * 50000]
)
def test_hostile_text_ends(text: str) -> None:
    """A text made to be slow is followed within bounds."""
    understand(Launch(argv=(), shell="vllm " + text), files={}, environment=HOME)
    understand(Launch(argv=("vllm", text)), files={}, environment=HOME)


def test_a_program_may_be_a_script() -> None:
    """A program named by its path is asked for, as it may be a script, and doubted by nobody while it was not read."""
    launch = Launch(argv=("/opt/venv/bin/server", "--port", "1"))
    assert needs(launch, {}, HOME) == ("/opt/venv/bin/server",)
    assert understand(launch, files={}, environment=HOME).certain
    wrapped = understand(launch, files={"/opt/venv/bin/server": '#!/bin/sh\nexec vllm serve m "$@"\n'}, environment=HOME)
    assert wrapped.argv == ("vllm", "serve", "m", "--port", "1")
