"""Of several launches in one log, the last one is judged."""

from tests.agent.reading.reading import read, sign

STARTED = "(APIServer pid=1) INFO 12-01 10:0{n}:00 [api_server.py:1896] vLLM API server version 0.11.0\n"
WARNED = "WARNING 12-01 10:0{n}:00 [__init__.py:8] something harmless\n"
MEMORY = "(EngineCore_DP0 pid=9) ERROR 12-01 10:00:30 [core.py:708] torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
CASCADE = "(APIServer pid=1) RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}\n"
PORT = "(APIServer pid=1) OSError: [Errno 98] Address already in use\n"
UP = "INFO:     Started server process [1]\nINFO:     Application startup complete.\n"
STOPPED = "INFO:     Shutting down\nINFO:     Application shutdown complete.\nINFO:     Finished server process [1]\n"


def start(number: int) -> str:
    """The first words of one launch."""
    return WARNED.format(n=number) + STARTED.format(n=number)


def test_the_last_launch_of_a_restart_loop_is_judged() -> None:
    """What the launches before died of is no evidence about the last."""
    symptom = read(start(0) + MEMORY + CASCADE + start(1) + MEMORY + CASCADE + start(2) + PORT)

    assert "address-in-use" == sign(symptom).value
    assert 11 == symptom.line_number


def test_the_same_failure_again_counts_once() -> None:
    """A loop of one failure is that failure, read from the last launch."""
    symptom = read((start(0) + MEMORY + CASCADE) * 3)

    assert "memory" == sign(symptom).value
    assert 11 == symptom.line_number
    assert 1 == sum(one.variable == "error" for one in symptom.signs)


def test_a_launch_that_came_up_before_does_not_hide_the_failure_of_the_next() -> None:
    """A server that ran, was stopped, and does not come up again has failed."""
    symptom = read(start(0) + UP + STOPPED + start(1) + PORT)

    assert "address-in-use" == sign(symptom).value


def test_a_launch_that_comes_up_after_failures_has_no_failure() -> None:
    """The last launch serves: what failed before is mended."""
    symptom = read(start(0) + MEMORY + CASCADE + start(1) + UP)

    assert "up" == sign(symptom).value


def test_refused_command_lines_are_launches() -> None:
    """Each usage text begins one: the last complaint counts, not the first."""
    first = "usage: vllm serve [model_tag] [options]\nvllm: error: unrecognized arguments: --first 1\n"
    last = "usage: vllm serve [model_tag] [options]\nvllm: error: unrecognized arguments: --last 1\n"

    assert "--last" == sign(read(first + last)).parameters["flag"]


def test_a_server_process_of_the_same_number_is_a_restarted_one() -> None:
    """The proxy says no more of its start; several workers of one start have numbers of their own."""
    failed = "INFO:     Started server process [1]\nKeyError: 'model_list'\nERROR:    Application startup failed. Exiting.\n"
    again = "INFO:     Started server process [1]\nERROR:    [Errno 98] error while attempting to bind on address ('0.0.0.0', 4000): in use\n"
    workers = "INFO:     Started server process [8]\nINFO:     Started server process [9]\n"

    assert "address-in-use" == sign(read(failed + again, "litellm")).value
    assert 3 == read(workers + "redis.exceptions.ConnectionError: Error 111 connecting to r:6379. Connection refused.\n", "litellm").line_number


def test_what_explains_a_launch_before_its_first_words_stays_with_it() -> None:
    """A warning of its imports stands before the line that begins a launch."""
    extension = "WARNING 12-01 10:01:00 [_custom_ops.py:21] Failed to import from vllm._C with ImportError('/v/_C.abi3.so: undefined symbol: _Z1x')\n"
    missing = "(EngineCore_DP0 pid=9) AttributeError: '_OpNamespace' '_C' object has no attribute 'silu_and_mul'\n"
    symptom = read(start(0) + MEMORY + CASCADE + extension + STARTED.format(n=1) + missing + CASCADE)

    assert "undefined-symbol" == sign(symptom).value


def test_two_servers_that_write_at_once_are_not_cut_apart() -> None:
    """Where nothing has ended between two beginnings, nothing is left out."""
    symptom = read(start(0) + start(1) + MEMORY + CASCADE)

    assert "memory" == sign(symptom).value
