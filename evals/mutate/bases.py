"""The launches that work, from which the mutators make those that do not."""

from evals.mutate.scene import Model, Scene
from transcripts.records import Launch

PROXY_CONFIG = """\
model_list:
  - model_name: small
    litellm_params:
      model: openai/small
      api_base: http://127.0.0.1:9/v1
      api_key: none
  - model_name: large
    litellm_params:
      model: openai/large
      api_base: http://127.0.0.1:9/v1
      api_key: none
litellm_settings:
  drop_params: true
"""
MODEL = "/srv/models/tiny"
SPECULATIVE = '{"method": "ngram", "num_speculative_tokens": 2, "prompt_lookup_max": 3}'


def _environment(install: str, **more: str) -> dict[str, str]:
    path = f"/opt/{install}/bin:/usr/local/bin:/usr/bin:/bin"
    return {"HOME": "/root", "LANG": "C.UTF-8", "PWD": "/srv", "NO_COLOR": "1", "PATH": path, **more}


def _base(
    name: str,
    framework: str,
    install: str,
    argv: tuple[str, ...],
    environment: dict[str, str],
    files: dict[str, str] | None = None,
    *,
    model: bool = True,
) -> Scene:
    return Scene(
        name=name,
        framework=framework,
        install=install,
        argv=argv,
        launch=Launch(argv=argv),
        environment=_environment(install, **environment),
        files=files or {},
        models=(Model(path=MODEL),) if model else (),
    )


_VLLM = ("vllm", "serve", MODEL, "--dtype", "float32", "--max-model-len", "128", "--enforce-eager", "--port", "18642")
_VLLM_ENVIRONMENT = {"VLLM_CPU_KVCACHE_SPACE": "1", "HF_HUB_OFFLINE": "1"}

_JSON = ("--speculative-config", SPECULATIVE)

BASES: tuple[Scene, ...] = (
    _base(
        "proxy",
        "litellm",
        "litellm",
        ("litellm", "--config", "/srv/config.yaml", "--host", "127.0.0.1", "--port", "18641"),
        {"LITELLM_MASTER_KEY": "$LITELLM_MASTER_KEY", "LITELLM_LOCAL_MODEL_COST_MAP": "True"},
        {"/srv/config.yaml": PROXY_CONFIG},
        model=False,
    ),
    _base("vllm", "vllm", "vllm-0.29.0", _VLLM, _VLLM_ENVIRONMENT),
    _base("vllm-json", "vllm", "vllm-0.29.0", (*_VLLM, *_JSON), _VLLM_ENVIRONMENT),
    _base("vllm-old", "vllm", "vllm-0.20.1", _VLLM, _VLLM_ENVIRONMENT),
    _base("vllm-old-json", "vllm", "vllm-0.20.1", (*_VLLM, *_JSON), _VLLM_ENVIRONMENT),
    _base(
        "sglang",
        "sglang",
        "sglang",
        ("sglang", "serve", "--model-path", MODEL, "--device", "cpu", "--max-total-tokens", "2048", "--port", "18643"),
        {},
    ),
)
"""Every base. Those of vLLM 0.20.1 work up to the engine, which was built for another torch: what dies in their parser is recorded."""
