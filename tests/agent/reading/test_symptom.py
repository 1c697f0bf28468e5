"""Which line is decisive, and what else a log proves: cascades, warnings, launches that came up, cut logs, wrappers, interleaved processes."""

import random

import pytest

from tests.agent.reading.reading import read, sign

WORKER = "(Worker pid=3) ERROR 12-01 16:00:03 [multiproc_executor.py:944] "
CORE = "(EngineCore pid=2) ERROR 12-01 16:00:04 [core.py:1374] "
API = "(APIServer pid=1) "
START = [
    API + "INFO 12-01 16:00:01 [api_utils.py:286] non-default args: {'model': 'm'}",
    "(EngineCore pid=2) INFO 12-01 16:00:02 [core.py:123] Initializing a V1 LLM engine (v0.29.0) with config",
]
ROOT = [WORKER + text for text in ("Traceback (most recent call last):", '  File "/v/w.py", line 1, in load', "    load()", "ValueError: the root")]
CASCADE = [
    *(
        CORE + text
        for text in ("Traceback (most recent call last):", '  File "/v/c.py", line 1, in run', "Exception: WorkerProc initialization failed")
    ),
    *(API + text for text in ("Traceback (most recent call last):", '  File "/v/a.py", line 1, in main')),
    API + "RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}",
]
UP = [API + "INFO:     Application startup complete."]


def text(*parts: list[str]) -> str:
    """A log of these lines."""
    return "".join(line + "\n" for part in parts for line in part)


def test_a_cascade_never_wins() -> None:
    """The worker's exception is decisive, not the engine's and the server's words about it."""
    symptom = read(text(START, ROOT, CASCADE))

    assert (6, "Worker", "ValueError", "engine") == (symptom.line_number, symptom.process, symptom.exception, symptom.phase)


@pytest.mark.parametrize("seed", range(8))
def test_interleaving_changes_nothing(seed: int) -> None:
    """However the lines of the processes fall among each other, each in its own order, the root is found."""
    random.seed(seed)
    queues = [list(START[:1]), [START[1], *ROOT], [API + f"INFO 12-01 16:00:0{n} [x.py:1] talk {n}" for n in range(6)]]
    mixed = []
    while any(queues):
        mixed.append(random.choice([queue for queue in queues if queue]).pop(0))
    symptom = read(text(mixed, CASCADE))

    assert ("ValueError: the root", "Worker") == (symptom.line, symptom.process)


def test_the_same_exception_of_two_workers_is_one() -> None:
    """Of a failure that several processes report, the first report is decisive."""
    symptom = read(text(START, ROOT, [line.replace("pid=3", "pid=4") for line in ROOT], CASCADE))

    assert 6 == symptom.line_number
    assert 1 == len([one for one in symptom.signs if one.variable == "error"])


def test_a_failed_plugin_is_no_root() -> None:
    """A plugin that did not load, after which the launch went on, is not what it died of."""
    plugin = ["ERROR 12-01 16:00:00 [__init__.py:72] " + line for line in ("Failed to load plugin p", "Traceback (most recent call last):")]
    plugin.append("ERROR 12-01 16:00:00 [__init__.py:72] ModuleNotFoundError: No module named 'acme'")

    assert "ValueError: the root" == read(text(plugin, START, ROOT, CASCADE)).line
    assert "up" == sign(read(text(plugin, START, UP))).value


def test_a_logged_error_that_the_launch_survived_is_no_root() -> None:
    """A traceback behind which the same launch reached a later phase did not end it."""
    survived = ["Traceback (most recent call last):", '  File "/v/x.py", line 1, in f', "OSError: something optional"]

    assert "up" == sign(read(text(START[:1], survived, START[1:], UP))).value


def test_the_warning_that_explains_the_crash() -> None:
    """An extension that did not load, said in a WARNING, is decisive for the operator that is missing later."""
    warning = ["WARNING 12-01 16:00:00 [cuda.py:22] Failed to import from vllm._C with ImportError('/v/_C.abi3.so: undefined symbol: _Zabc')"]
    crash = [API + "Traceback (most recent call last):", API + '  File "/v/x.py", line 1, in f']
    crash.append(API + "AttributeError: '_OpNamespace' '_C' object has no attribute 'rms_norm'")

    symptom = read(text(warning, START, crash))

    assert (1, "undefined-symbol", "_Zabc") == (symptom.line_number, sign(symptom).value, sign(symptom).parameters["symbol"])
    assert "up" == sign(read(text(warning, START, UP))).value
    assert "ValueError: the root" == read(text(warning, START, ROOT)).line


def test_advice_about_open_files_is_no_error() -> None:
    """The hint about file limits that most logs hold is neither an error nor a cause."""
    hint = [
        API + "WARNING 12-01 16:00:01 [s.py:1] Found ulimit of 20. This can cause fd limit errors like `OSError: [Errno 24] Too many open files`."
    ]

    assert "none" == sign(read(text(START, hint))).value


def test_the_exception_that_another_was_raised_from() -> None:
    """Of a chain by "direct cause" the first exception is decisive, of one by "during handling" the last."""
    first = ["Traceback (most recent call last):", '  File "/v/x.py", line 1, in f', "ValueError: first", ""]
    second = ["Traceback (most recent call last):", '  File "/v/y.py", line 1, in g', "ValueError: second"]
    cause = "The above exception was the direct cause of the following exception:"
    context = "During handling of the above exception, another exception occurred:"

    assert "ValueError: first" == read(text(first, [cause, ""], second)).line
    assert "ValueError: second" == read(text(first, [context, ""], second)).line


def test_a_fallback_import_hides_the_missing_module() -> None:
    """Where a fallback import fails too, what the first one lacked is decisive."""
    log = text(
        ["Traceback (most recent call last):", '  File "/l/proxy_cli.py", line 1, in run', "ModuleNotFoundError: No module named 'backoff'", ""],
        ["During handling of the above exception, another exception occurred:", ""],
        ["Traceback (most recent call last):", '  File "/l/proxy_cli.py", line 2, in run', "ModuleNotFoundError: No module named 'proxy_server'"],
    )

    assert "backoff" == sign(read(log, "litellm")).parameters["module"]


def test_a_cascade_alone_names_no_kind() -> None:
    """Where nothing but the echo of a failure is left of a log, it is shown, and claims nothing."""
    for line in (
        "ModuleNotFoundError: No module named 'proxy_server'",
        API + "RuntimeError: Engine core initialization failed. See root cause above.",
    ):
        assert (1, "other") == (read(line + "\n").line_number, sign(read(line + "\n")).value)


def test_an_exception_group_is_read() -> None:
    """The exceptions inside a group are found behind their bars."""
    log = text(
        ["  + Exception Group Traceback (most recent call last):", '  |   File "/v/x.py", line 1, in f', "  | ExceptionGroup: unhandled errors (1)"],
        ["  +-+---------------- 1 ----------------", "    | Traceback (most recent call last):", '    |   File "/v/y.py", line 1, in g'],
        ["    | PermissionError: [Errno 13] Permission denied: '/c'", "    +------------------------------------"],
    )

    assert ("permission-denied", "/c") == (sign(read(log)).value, sign(read(log)).parameters["path"])


def test_an_assertion_without_words_shows_its_statement() -> None:
    """An exception without a message is told by the statement that raised it."""
    log = text(["Traceback (most recent call last):", '  File "/v/x.py", line 1, in f', "    assert a == b", "           ^^^^^^", "AssertionError"])

    assert "    assert a == b" == read(log).line


def test_what_ended_a_server_that_was_up() -> None:
    """A request's traceback leaves a server up; an engine that dies or a signal does not."""
    request = [
        "ERROR:    Exception in ASGI application",
        "Traceback (most recent call last):",
        '  File "/v/x.py", line 1, in f',
        "ValueError: bad request",
    ]
    engine = [CORE + line for line in ("EngineCore hit an exception.", "Traceback (most recent call last):", '  File "/v/x.py", line 1, in f')]
    engine.append(CORE + "RuntimeError: head size 16 is not supported")
    stopped = ["(EngineCore pid=2) INFO 12-01 16:00:09 [core.py:1350] [shutdown] EngineCore: trigger received signal=SIGTERM"]

    assert "up" == sign(read(text(START, UP, request))).value
    assert "RuntimeError: head size 16 is not supported" == read(text(START, UP, engine)).line
    assert {"signal": "SIGTERM"} == sign(read(text(START, UP, stopped))).parameters


def test_the_shutdown_after_a_failure_is_not_its_cause() -> None:
    """A signal that a failing server sends its own engine stands back behind the failure, even where it is logged first."""
    stopped = ["(EngineCore pid=2) INFO 12-01 16:00:09 [core.py:1350] [shutdown] EngineCore: trigger received signal=SIGTERM"]
    crash = [API + "Traceback (most recent call last):", API + '  File "/v/x.py", line 1, in f', API + "OSError: [Errno 98] Address already in use"]

    assert "address-in-use" == sign(read(text(START, stopped, crash))).value


def test_a_program_that_python_could_not_execute() -> None:
    """A "file" that subprocess did not find is a command."""
    log = text(
        ["Traceback (most recent call last):", '  File "/usr/lib/python3.11/subprocess.py", line 1955, in _execute_child'],
        ["    raise child_exception_type(errno_num, err_msg, err_filename)"],
        ["FileNotFoundError: [Errno 2] No such file or directory: 'vllm serve m --port 80'"],
    )
    symptom = read(log)

    assert ("command-not-found", "vllm serve m --port 80") == (sign(symptom).value, sign(symptom).parameters["command"])
    assert "whole-command" == sign(symptom, "shape").value


@pytest.mark.parametrize("cut", range(1, 7))
def test_a_log_without_its_head(cut: int) -> None:
    """A log that begins inside a traceback is not whole, and still shows its last exception."""
    lines = [
        "Traceback (most recent call last):",
        '  File "/v/x.py", line 1, in f',
        "    f()",
        '  File "/v/y.py", line 1, in g',
        "    g()",
        "    ^^^",
    ]
    symptom = read(text([*lines, "ValueError: the root"][cut:]))

    assert "ValueError: the root" == symptom.line
    assert (cut == 6) is symptom.whole


def test_a_log_without_its_tail_proves_less() -> None:
    """A log that ends inside a traceback names no decisive line of it."""
    symptom = read(text(START, ROOT[:-1]), exit_status=1)

    assert 0 == symptom.line_number
    assert not symptom.whole
    assert "failure" == sign(symptom, "exit").value


@pytest.mark.parametrize(
    ("status", "value"),
    [
        (0, "ok"),
        (1, "failure"),
        (2, "usage"),
        (126, "denied"),
        (127, "absent"),
        (137, "killed"),
        (-9, "killed"),
        (143, "terminated"),
        (-11, "crashed"),
    ],
)
def test_the_exit_status_speaks_where_no_line_does(status: int, value: str) -> None:
    """Without a decisive line the exit status is a sign; with one it is none."""
    assert value == sign(read(text(START), exit_status=status), "exit").value
    assert "" == sign(read(text(START, ROOT), exit_status=status), "exit").value


def test_a_launch_that_still_runs_and_says_nothing() -> None:
    """A whole log of a process that has not ended and is not up is a hang, at its last phase."""
    symptom = read(text(START), ended=False)

    assert ("hang", {"phase": "engine"}) == (sign(symptom).value, sign(symptom).parameters)


@pytest.mark.parametrize("data", [b"", b"\n", b"\x00" * 4000, bytes(range(256)) * 40, b"just some text of another program\n"])
def test_what_is_no_log_invents_nothing(data: bytes) -> None:
    """An empty, binary or foreign text holds no decisive line."""
    symptom = read(data)

    assert 0 == symptom.line_number
    assert sign(symptom).value in ("", "none")


def test_a_shell_that_ran_the_rest_as_a_command() -> None:
    """What a broken line continuation cut off is told before what the cut command died of."""
    died = "vllm serve: error: argument --max-model-len: expected one argument"
    symptom = read(f"usage: vllm serve\n{died}\n./start.sh: line 2: --port: command not found\n")

    assert ("--port", "flag") == (sign(symptom).parameters["command"], sign(symptom, "shape").value)
