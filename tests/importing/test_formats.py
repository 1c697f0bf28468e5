"""The readers of other tools' files: what they take, what they pass over, what they refuse."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.importing.reading import HERE, session
from transcripts.errors import UsageError
from transcripts.importers.catalogue import IMPORTERS
from transcripts.importers.shell_log import is_open
from transcripts.importers.terminal import shown

EXPECTED = [step.text for step in session(HERE / "case-zero.opencode.json").steps if step.kind == "command"]


@pytest.mark.parametrize("name", sorted(path.name for path in HERE.glob("case-zero.*")))
def test_every_format_tells_the_same_commands(name: str) -> None:
    """The same session has the same commands, here-documents and all, whatever tool recorded it."""
    assert EXPECTED == [step.text for step in session(HERE / name).steps if step.kind == "command" and step.text != "exit"]


@pytest.mark.parametrize("format_", sorted(IMPORTERS))
@settings(max_examples=60, deadline=None, database=None)
@given(
    data=st.binary(max_size=300)
    | st.text(max_size=200).map(str.encode)
    | st.recursive(st.none() | st.text(max_size=5), st.lists).map(json.dumps).map(str.encode)
)
def test_anything_else_is_refused_with_a_sentence(format_: str, data: bytes) -> None:
    """Bytes of no such tool end in a message for a person or in steps, never in a traceback."""
    try:
        IMPORTERS[format_](data)
    except UsageError as error:
        assert len(str(error)) > 30


JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "type",
                    "message",
                    "content",
                    "messages",
                    "parts",
                    "state",
                    "input",
                    "command",
                    "role",
                    "extra",
                    "actions",
                    "info",
                    "time",
                    "tool",
                    "id",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None, database=None)
@given(value=st.dictionaries(st.sampled_from(["messages", "type", "message", "info"]), JSONS))
def test_shapes_nobody_expects_are_passed_over(value: object) -> None:
    """A document of the right keys and the wrong values is read as far as it goes."""
    for format_ in ("claude-code", "opencode", "mini-swe-agent"):
        try:
            IMPORTERS[format_](json.dumps(value).encode())
        except UsageError:
            continue


def test_a_failed_command_of_claude_code_has_its_status() -> None:
    """The status that stands before the text is the command's, and no part of its output."""
    use = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "vllm serve m"}}
    result = {"type": "tool_result", "tool_use_id": "t", "is_error": True, "content": "Exit code 2\nvllm: error: x"}
    lines = [
        {"type": "assistant", "timestamp": "2026-05-04T09:00:00Z", "message": {"role": "assistant", "content": [use]}},
        {"type": "queue-operation", "content": "y"},
        {"type": "user", "timestamp": "2026-05-04T09:00:07.5Z", "message": {"role": "user", "content": [result]}},
    ]
    read = IMPORTERS["claude-code"]("\n".join(map(json.dumps, lines)).encode() + b"\n{torn")
    assert (1, [(2, "vllm: error: x", 7.5)]) == (read.skipped, [(s.exit_status, s.output, s.seconds) for s in read.steps])


def test_opencode_two_is_read() -> None:
    """The second generation of opencode's export calls its parts otherwise and says the same."""
    state = {
        "status": "completed",
        "input": {"command": "vllm serve m"},
        "content": [{"type": "text", "text": "vllm: error: x"}],
        "structured": {"exit": 2},
    }
    part = {"type": "tool", "id": "c", "name": "bash", "state": state, "time": {"created": 1777885200000, "completed": 1777885207000}}
    document = {"info": {"id": "s"}, "messages": [{"id": "m", "type": "assistant", "time": {"created": 1777885200000}, "content": [part]}]}
    read = IMPORTERS["opencode"](b"Exporting session: s\n" + json.dumps(document).encode())
    assert [("vllm serve m", "vllm: error: x", 2, 7.0)] == [(s.text, s.output, s.exit_status, s.seconds) for s in read.steps]


def test_the_first_mini_swe_agent_is_read() -> None:
    """Its first generation put the command in a block of the answer, and what came of it in tags."""
    messages = [
        {"role": "system", "content": "x"},
        {"role": "assistant", "content": "THOUGHT: launch\n\n```bash\nvllm serve m\n```"},
        {"role": "user", "content": "<returncode>2</returncode>\n<output>\nvllm: error: x\n</output>"},
    ]
    read = IMPORTERS["mini-swe-agent"](json.dumps({"messages": messages, "trajectory_format": "mini-swe-agent-1"}).encode())
    assert [("said", "THOUGHT: launch", None), ("command", "vllm serve m", 2)] == [(s.kind, s.text, s.exit_status) for s in read.steps]
    assert "vllm: error: x\n" == read.steps[1].output


PROMPTS = [
    "$ ", "# ", "% ", "~ $ ", "root@gpu:/srv# ", "[me@host x]$ ", "(base) me@h:~$ ", "❯ ", "➜ ", "PS C:\\Users\\me> ", "bash-5.2# ",
    "(venv) root@c3f1:/app# ",
]  # fmt: skip


@pytest.mark.parametrize("prompt", PROMPTS)
def test_prompts_of_many_shells_are_known(prompt: str) -> None:
    """Commands are told from output by the form of the prompt; the status asked for next is the command's."""
    log = f"{prompt}vllm serve m\nvllm: error: # x\n{prompt}echo $?\n2\n{prompt}\n"
    read = IMPORTERS["shell"](log.encode())
    assert [("vllm serve m", "vllm: error: # x\n", 2)] == [(s.text, s.output, s.exit_status) for s in read.steps[:1]]


OPEN = [
    ("echo 'a", True),
    ("echo a \\", True),
    ("cat <<EOF\nx", True),
    ("cat <<EOF\nx\nEOF", False),
    ("echo it\\'s", False),
    ("a # it's", False),
    ("a <<< b", False),
]


@pytest.mark.parametrize(("text", "expected"), OPEN)
def test_an_open_command_goes_on(text: str, expected: bool) -> None:
    """Quotes, here-documents and a final backslash leave a command open; comments and escapes do not."""
    assert expected == is_open(text)


SCREENS = [
    ("ab\b\x1b[Kc\r\n", ["ac"]),
    ("10%\r20%\r\n", ["20%"]),
    ("\x1b[31mred\x1b[0m\x1b]0;title\x07!\r\n", ["red!"]),
    ("a\x1b[?1049hvim\r\nscreen\x1b[?1049lb\r\n", ["b"]),
    ("abc\x1b[2D\x1b[PX\r\n", ["aX"]),
]


@pytest.mark.parametrize(("text", "expected"), SCREENS)
def test_a_terminal_shows_what_a_person_saw(text: str, expected: list[str]) -> None:
    """Redrawing, colours and full-screen programs leave the lines as they stood, also where a sequence is cut in two."""
    assert expected == [line.text for line in shown([(0.0, text)])]
    assert expected == [line.text for line in shown([(0.0, character) for character in text])]


def test_a_script_of_one_command_needs_no_prompt() -> None:
    """`script -c COMMAND` records the command in its first line and its status in the last."""
    text = 'Script started on 2026-05-04 09:00:00+00:00 [COMMAND="vllm serve m" TERM="x"]\nvllm: error: x\r\n'
    text += '\nScript done on 2026-05-04 09:00:08+00:00 [COMMAND_EXIT_CODE="2"]\n'
    step = IMPORTERS["typescript"](text.encode()).steps[0]
    assert ("vllm serve m", "vllm: error: x\n", 2, "2026-05-04T09:00:00.000Z") == (
        step.text,
        step.output.rstrip("\n") + "\n",
        step.exit_status,
        step.at,
    )
