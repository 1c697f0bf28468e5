"""Log lines of every era and wrapper: process, level, logger and message come apart."""

import pytest

from agent.reading.prefixes import unwrapped

LINES = [
    ("(APIServer pid=7) INFO 12-01 16:28:20 [core.py:123] hello", "APIServer pid=7", "INFO", "core.py:123", "hello"),
    ("(EngineCore_DP0 pid=8) ERROR 12-01 16:28:20 [v1/core.py:1]   File", "EngineCore_DP0 pid=8", "ERROR", "v1/core.py:1", "  File"),
    (
        "(EngineCore_DP14 pid=1) (Worker pid=2) (Worker_DP14_EP14 pid=2) ERROR 03-18 06:29:32 [m.py:800] x",
        "Worker_DP14_EP14 pid=2",
        "ERROR",
        "m.py:800",
        "x",
    ),
    ("(VllmWorkerProcess pid=9) ERROR 10-18 16:04:07 utils.py:229] boom", "VllmWorkerProcess pid=9", "ERROR", "utils.py:229", "boom"),
    ("(VllmWorker rank=0 pid=95) ERROR 07-09 03:23:09 [m.py:487] boom", "VllmWorker pid=95", "ERROR", "m.py:487", "boom"),
    ("\x1b[36m(RayWorkerWrapper pid=5, ip=10.0.0.2)\x1b[0m ERROR 07-09 03:23:09 [m.py:4] x", "RayWorkerWrapper pid=5", "ERROR", "m.py:4", "x"),
    ("(pid=44) Traceback (most recent call last):", "process pid=44", "", "", "Traceback (most recent call last):"),
    ("[rank1]:     raise RuntimeError", "rank1", "", "", "    raise RuntimeError"),
    ("[rank0]:[W1201 19:19:12.042290546 TCPStore.cpp:340] retry", "rank0", "WARNING", "TCPStore.cpp:340", "retry"),
    ("ERROR 11-26 09:29:11 engine.py:366] ValueError: x", "", "ERROR", "engine.py:366", "ValueError: x"),
    ("[2026-12-01 19:29:31 TP0] Load weight begin", "TP0", "", "", "Load weight begin"),
    ("[2026-12-01 19:33:10] ERROR:    [Errno 98] in use", "", "ERROR", "", "[Errno 98] in use"),
    ("ERROR:    Application startup failed. Exiting.", "", "ERROR", "", "Application startup failed. Exiting."),
    ("16:38:04 - LiteLLM Proxy:ERROR: utils.py:12 - no", "LiteLLM Proxy", "ERROR", "utils.py:12", "no"),
    ("2026-12-01T16:28:20.123456789Z stderr F vllm: error: x", "", "", "", "vllm: error: x"),
    ("2026-12-01T16:28:20.123Z ERROR 12-01 16:28:20 [a.py:1] x", "", "ERROR", "a.py:1", "x"),
    ("vllm-1  | (APIServer pid=1) hello", "APIServer pid=1", "", "", "hello"),
    ("litellm  | Error: x", "", "", "", "Error: x"),
    ("[pod/vllm-0/server] INFO:     Shutting down", "", "INFO", "", "Shutting down"),
    ("Dec 01 16:28:20 host vllm[812]: vllm: error: x", "", "", "", "vllm: error: x"),
    ("E0710 15:24:06.605366961 2474524 thd.cc:157]   pthread_create failed", "", "ERROR", "thd.cc:157", "  pthread_create failed"),
    ("[2024-07-10 15:24:06,819 E 2474429 2474429] core_worker.cc:251: Failed", "", "ERROR", "core_worker.cc:251", "Failed"),
    ("2024-07-10 15:24:06,387\tINFO worker.py:1771 -- Started", "", "INFO", "worker.py:1771", "Started"),
    ("2025-12-01 14:34:05.226 - 1060 - gpustack.docker - WARNING - skipping", "", "WARNING", "gpustack.docker", "skipping"),
    ("WARNING:root:careful", "", "WARNING", "root", "careful"),
    ("\x1b[1;31mred\x1b[0m text", "", "", "", "red text"),
    ("    | ValueError: in a group", "", "", "", "ValueError: in a group"),
    ("vllm serve: error: argument --x: expected one argument", "", "", "", "vllm serve: error: argument --x: expected one argument"),
    ("bash: line 3: --port: command not found", "", "", "", "bash: line 3: --port: command not found"),
    ("", "", "", "", ""),
]


@pytest.mark.parametrize(("line", "process", "level", "logger", "text"), LINES)
def test_prefixes_come_off(line: str, process: str, level: str, logger: str, text: str) -> None:
    """What stands before the message is taken off and told apart; indentation stays."""
    found = unwrapped(line)

    assert (process, level, logger, text) == (found.process, found.level, found.logger, found.text)
