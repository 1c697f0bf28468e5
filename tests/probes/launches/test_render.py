"""Launches written anew with a corrected argv."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probes.launches.quoting import quoted
from probes.launches.render import render
from probes.launches.understand import FindEntry, understand
from transcripts.records import Launch

HOME = {"HOME": "/home/me", "PATH": "/usr/bin"}
SPEC = '{"a": "b c", "d": 1}'


@pytest.mark.parametrize(
    "argv",
    [
        ["bash", "-c", f"vllm serve m --x {SPEC}"],
        ["ssh", "host", "nohup", "vllm", "serve", "m", "--x", SPEC],
        ["ssh", "host", f"cd /x && A=1 vllm serve m --x {SPEC}"],
        ["docker", "exec", "-e", "A=1", "c", "sh", "-c", f"exec vllm serve m --x {SPEC}"],
        ["env", "A=1", "sh", "-c", f"vllm serve m --x {SPEC}"],
        ["vllm", "serve", "m", "--x", *SPEC.split()],
        ["bash", "-lc", f"export A=1; vllm serve m --x {SPEC}"],
        ["bash", "-c", f"eval vllm serve m --x '{SPEC}'"],
    ],
)
def test_what_was_meant_is_delivered(argv: list[str], find_entry: FindEntry) -> None:
    """The rendered launch and the line to paste deliver exactly the argv asked for, through the same layers."""
    launch = Launch(argv=tuple(argv))
    arrival = understand(launch, files={}, environment=HOME, find_entry=find_entry)
    made = render(launch, arrival, arrival.meant, {}, ())
    assert arrival.meant == ("vllm", "serve", "m", "--x", SPEC)
    for again in (made.launch, Launch(argv=(), shell=made.shell)):
        there = understand(again, files={}, environment=HOME, find_entry=find_entry)
        assert there.argv == arrival.meant
        assert there.env == arrival.env


def test_environment_changes_reach_the_program(find_entry: FindEntry) -> None:
    """A variable that is set or taken away is so behind every layer, also where a layer sets it."""
    for argv in (
        ["env", "A=1", "vllm", "serve", "m"],
        ["ssh", "host", "A=1 vllm serve m"],
        ["docker", "run", "-e", "A=1", "i", "vllm", "serve", "m"],
    ):
        launch = Launch(argv=tuple(argv))
        arrival = understand(launch, files={}, environment=HOME, find_entry=find_entry)
        made = render(launch, arrival, arrival.argv, {"A": "2 3"}, ())
        assert understand(made.launch, files={}, environment=HOME, find_entry=find_entry).env == {"A": "2 3"}
        gone = render(launch, arrival, arrival.argv, {}, ("A",))
        assert understand(gone.launch, files={}, environment=HOME, find_entry=find_entry).env == {}


def test_a_script_is_bypassed_and_its_lines_named(find_entry: FindEntry) -> None:
    """The server is executed directly with what the script exports, and each line to change is named with its new text."""
    text = "#!/bin/bash\nexport A=1 VLLM_PORT=x\ncd /data\nARGS=('--dtype float32')\nexec vllm serve m \\\n  --x $SPEC \"${ARGS[@]}\" --eager true\n"
    launch = Launch(argv=("./s.sh",))
    arrival = understand(launch, files={"./s.sh": text}, environment={**HOME, "SPEC": SPEC}, find_entry=find_entry)
    argv = ("vllm", "serve", "m", "--x", SPEC, "--dtype", "float32", "--eager")
    made = render(launch, arrival, argv, {}, ("VLLM_PORT",))
    assert made.launch == Launch(argv=argv, env={"A": "1"}, unset=("VLLM_PORT",), cwd="/data")
    assert made.shell == f"cd /data && A=1 env -u VLLM_PORT vllm serve m --x '{SPEC}' --dtype float32 --eager"
    assert made.edits == (
        f"./s.sh line 6: `$SPEC` → `'{SPEC}'`",
        "./s.sh line 4: `'--dtype float32'` → `--dtype float32`",
        "./s.sh line 6: `--eager true` → `--eager`",
    )


def test_a_python_list_is_corrected_in_python(find_entry: FindEntry) -> None:
    """The new text for a Python script is quoted as Python."""
    text = 'import os\nargs = ["vllm", "serve", "m",\n  "--dtype float32"]\nos.execvp("vllm", args)\n'
    launch = Launch(argv=("python", "s.py"))
    arrival = understand(launch, files={"s.py": text}, environment=HOME, find_entry=find_entry)
    made = render(launch, arrival, arrival.meant, {}, ())
    assert made.edits == ("s.py line 3: `\"--dtype float32\"` → `'--dtype', 'float32'`",)


def test_an_extra_shell_in_a_script_is_left_out(find_entry: FindEntry) -> None:
    """Where a script's own bash -c is at fault, the line without it is proposed."""
    text = f"SPEC='{SPEC}'\nbash -c \"vllm serve m --x $SPEC\"\n"
    launch = Launch(argv=("bash", "s.sh"))
    arrival = understand(launch, files={"s.sh": text}, environment=HOME, find_entry=find_entry)
    made = render(launch, arrival, arrival.meant, {}, ())
    assert made.edits == (f"s.sh line 2: run it without the extra shell: `vllm serve m --x '{SPEC}'`",)


def test_secrets_stay_expandable(find_entry: FindEntry) -> None:
    """The line to paste names a secret so that a shell still fills it in."""
    launch = Launch(argv=("bash", "-c", 'vllm serve m --api-key "$KEY"'), secrets=("KEY",))
    arrival = understand(launch, files={}, environment=HOME, find_entry=find_entry)
    made = render(
        Launch(argv=arrival.argv, secrets=("KEY",)), understand(Launch(argv=arrival.argv), files={}, environment=HOME), arrival.argv, {}, ()
    )
    assert made.shell == 'vllm serve m --api-key "$KEY"'


WORDS = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=10), max_size=4)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(words=WORDS, layers=st.lists(st.sampled_from(["bash", "sh", "env", "ssh", "nohup", "docker"]), max_size=3))
def test_any_argv_through_any_layers(words: list[str], layers: list[str]) -> None:
    """Any argv rendered through any stack of layers, and pasted as a line, arrives unchanged."""
    wrapped = ["vllm", "serve", "old"]
    for layer in layers:
        before = {"env": ["env", "A=1"], "nohup": ["nohup"], "docker": ["docker", "exec", "c"]}
        wrapped = [*before[layer], *wrapped] if layer in before else [*(["ssh", "h"] if layer == "ssh" else [layer, "-c"]), quoted(wrapped)]
    launch = Launch(argv=tuple(wrapped))
    argv = ("vllm", "serve", *words)
    made = render(launch, understand(launch, files={}, environment=HOME), argv, {"B": "x y"}, ())
    assert understand(made.launch, files={}, environment=HOME).argv == argv
    assert understand(Launch(argv=(), shell=made.shell), files={}, environment=HOME).argv == argv
