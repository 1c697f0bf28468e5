"""What counts as a real answer, and where a launch is asked."""

import json
from pathlib import Path

import pytest

from agent.readiness import Answer, Endpoint, find_endpoint, judge, option
from probes.frameworks.framework import Framework
from probes.frameworks.litellm import LITELLM
from probes.frameworks.vllm import VLLM
from probes.targets.local import LocalTarget

MODELS = {"method": "GET", "path": "/v1/models", "status": 200, "body": '{"data": [{"id": "m"}]}'}
DONE = {"method": "POST", "path": "/v1/completions", "status": 200, "body": '{"choices": [{"text": " x"}]}'}

ANSWERS: list[tuple[Framework, Endpoint, str, list[dict[str, object]], Answer]] = [
    (VLLM, Endpoint(port=8000), "ours", [MODELS, DONE], Answer(up=True, text='POST /v1/completions: " x"')),
    (VLLM, Endpoint(port=8000), "unknown", [MODELS, DONE], Answer(up=True, text='POST /v1/completions: " x"')),
    (VLLM, Endpoint(port=8000), "ours", [MODELS], Answer(up=False, text="GET /v1/models: names m")),
    (
        VLLM,
        Endpoint(port=8000),
        "ours",
        [MODELS, {**DONE, "status": 500, "body": "EngineDead"}],
        Answer(up=False, text="POST /v1/completions: 500 EngineDead"),
    ),
    (VLLM, Endpoint(port=8000), "ours", [MODELS, {**DONE, "body": "{}"}], Answer(up=False, text="POST /v1/completions: no answer in it: {}")),
    (VLLM, Endpoint(port=8000), "ours", [{**MODELS, "body": '{"data": []}'}], Answer(up=False, text="GET /v1/models: names no models")),
    (
        VLLM,
        Endpoint(port=8000),
        "ours",
        [{"method": "GET", "path": "/v1/models", "error": "ConnectionRefusedError: x"}],
        Answer(up=False, text="GET /v1/models: ConnectionRefusedError: x"),
    ),
    (VLLM, Endpoint(port=8000), "other", [], Answer(up=False, text="port 8000 is answered by another process, not by this launch")),
    (LITELLM, Endpoint(models=("m",), configured=True), "ours", [MODELS], Answer(up=True, text="GET /v1/models: names m")),
    (
        LITELLM,
        Endpoint(models=("m", "n"), configured=True),
        "ours",
        [MODELS],
        Answer(up=False, text="GET /v1/models: does not name the configured n"),
    ),
    (
        LITELLM,
        Endpoint(configured=True),
        "ours",
        [{**MODELS, "body": '{"data": []}'}],
        Answer(up=True, text="GET /v1/models: names no models, as configured"),
    ),
    (LITELLM, Endpoint(), "ours", [{**MODELS, "body": "<html>"}], Answer(up=False, text="GET /v1/models: no JSON: <html>")),
]


@pytest.mark.parametrize(("framework", "endpoint", "owner", "answers", "expected"), ANSWERS)
def test_only_a_real_answer_counts(framework: Framework, endpoint: Endpoint, owner: str, answers: list[dict[str, object]], expected: Answer) -> None:
    """Every request must have been answered with what was asked for, by the launch itself."""
    assert expected == judge(framework.ready, endpoint, json.dumps({"owner": owner, "answers": answers}))


def test_an_unreadable_reply_is_no_answer() -> None:
    """A program that prints no JSON has not asked."""
    assert Answer(up=False, text="could not ask: oops") == judge(VLLM.ready, Endpoint(), "oops")


@pytest.mark.parametrize(
    ("options", "value"),
    [
        (("--port", "8001"), "8001"),
        (("--port=8001",), "8001"),
        (("--port", "1", "--port", "2"), "2"),
        (("--port",), ""),
        (("model", "--other", "3"), ""),
    ],
)
def test_options_are_read_as_the_parser_does(options: tuple[str, ...], value: str) -> None:
    """With a space or an equals sign, the last one counts."""
    assert value == option(VLLM, options, "--port")


async def test_where_vllm_is_asked() -> None:
    """Port, host, key and certificate come from the options, underscores included; every address means this one."""
    options = ("--port", "8001", "--host=0.0.0.0", "--api_key", "k", "--ssl_certfile", "c", "--ssl-keyfile", "f")
    found = await find_endpoint(LocalTarget(), VLLM, options, {}, None)
    assert Endpoint(scheme="https", port=8001, key="k", key_names=("VLLM_API_KEY",)) == found


@pytest.mark.parametrize(
    ("master", "env", "key", "names"),
    [
        ("sk-plain", {}, "sk-plain", ("LITELLM_MASTER_KEY",)),
        ("os.environ/MY_KEY", {"MY_KEY": "mine"}, "mine", ("MY_KEY", "LITELLM_MASTER_KEY")),
        ("os.environ/MY_KEY", {}, "", ("MY_KEY", "LITELLM_MASTER_KEY")),
        ("", {"LITELLM_MASTER_KEY": "theirs"}, "theirs", ("LITELLM_MASTER_KEY",)),
    ],
)
async def test_where_litellm_is_asked(tmp_path: Path, master: str, env: dict[str, str], key: str, names: tuple[str, ...]) -> None:
    """The proxy's key and its models come from its configuration, relative to its folder; patterns of models need not be named."""
    models = "[{model_name: a}, {model_name: b}, {model_name: a}, {model_name: 'openai/*'}]"
    (tmp_path / "c.yaml").write_text(f"model_list: {models}\ngeneral_settings: {{master_key: {master}}}\n")
    found = await find_endpoint(LocalTarget(), LITELLM, ("--config", "c.yaml"), env, str(tmp_path))
    assert Endpoint(port=4000, key=key, key_names=names, models=("a", "b"), configured=True) == found


async def test_a_configuration_that_cannot_be_read_says_nothing(tmp_path: Path) -> None:
    """Without its file, or with a malformed one, the launch is asked at its default place."""
    (tmp_path / "bad.yaml").write_text("a: [")
    found = [await find_endpoint(LocalTarget(), LITELLM, ("--config", name), {}, str(tmp_path)) for name in ("absent.yaml", "bad.yaml")]
    assert [Endpoint(port=4000, key_names=("LITELLM_MASTER_KEY",), configured=True)] * 2 == found
