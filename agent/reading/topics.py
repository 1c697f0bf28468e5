"""What the message of an error speaks of: one topic each, the most telling wording first. Pure, as data.

Many faults end in the same kind of error (a ``ValueError``, a refused configuration object); the words of its message tell them apart.
"""

import re
from collections.abc import Sequence

_TOPICS: tuple[tuple[str, str], ...] = (
    ("speculative", r"n_predict|num_speculative_tokens"),
    ("incompatible", r"positional argument .* instead of via the"),
    ("context", r"max_model_len \(?\d+\)? is (?:greater|larger) than|(?:greater|larger) than the derived (?:max_model_len|context_length)"),
    ("variable", r"\bVLLM_\w+\b.*(?:appears to be a URI|must be|should be|invalid|valid options|not a valid)|Unknown (?:vLLM )?environment variable"),
    ("variable", r"invalid literal for int\(\) with base 10: ['\"](?:tcp|udp|https?)://|(?:tcp|udp)://\S+.*(?:port|integer|int\b)"),
    (
        "package",
        r"operator torchvision::nms does not exist|Either a revision or a version must be specified"
        r"|all_special_tokens_extended|is incompatible with (?:the )?installed|is already used by a Transformers config"
        r"|Version mismatch: The cluster was started with|less than the minimum required version|minimum required version"
        r"|Numba needs NumPy|(?:requires|needs) NumPy\b.*[Gg]ot",
    ),
    ("package", r"requires? (?:transformers|torch|numpy|pydantic|huggingface[_-]hub|tokenizers|kernels|flashinfer)\b.*(?:>=|<=|==|version|but)"),
    (
        "package",
        r"(?:>=|<=|==|~=|!=)\s*\d[\w.]*(?:,[<>=!~ \d.]+)? is required for a normal functioning|but found \w[\w-]*==|numpy\.dtype size changed",
    ),
    ("package", r"compiled using NumPy 1\.x|module compiled against (?:ABI|API) version|binary incompatibility"),
    (
        "architecture",
        r"model type [`'\"]?[\w-]+[`'\"]? but Transformers does not recognize|not supported for now|has no (?:vLLM|SGLang) implementation",
    ),
    (
        "architecture",
        r"[Mm]odel architectures? .*(?:not supported|unsupported|failed to be|cannot)"
        r"|[Uu]nsupported (?:model )?architecture|[Uu]nknown architecture|architecture \S+ is not (?:yet )?supported",
    ),
    (
        "architecture",
        r"Unrecognized (?:configuration class|model) |(?:Unknown|Unsupported|Unrecognized) model[_ ]type|does not recognize this architecture"
        r"|is not a registered model in",
    ),
    (
        "rope",
        r"(?<!keys in `)rope_scaling|rope_type(?!'=)|rope_parameters|[Uu]nknown RoPE"
        r"|KeyError: ['\"](?:type|rope_type|rope_theta)['\"]|\b(?:yarn|mrope|longrope|llama3)\b[\w '\"-]{0,20}rope",
    ),
    (
        "speculative",
        r"[Ss]peculative|spec_decode|\bdraft[ _-](?:model|token|worker|vocab)"
        r"|num_speculative_tokens|n_predict|\b(?:eagle3?|medusa|mlp_speculator|dflash|mtp)\b",
    ),
    (
        "parallelism",
        r"\A(?=.*(?i:\b[tpde]p(?:\b|_)|parallel|\bheads?\b|world|\branks?\b|\bgpus?\b|nodes|partition|vocab|experts|size_[kn]\b"
        r"|block_size_|group_size|thread_[kn]"
        r"|\b\d+ is not divisible)).*divisible by"
        r"|% (?:self\.)?(?:attn_)?tp_(?:size|world)|num_(?:attention_|kv_|key_value_)?heads %|(?i:(?:tensor|pipeline"
        r"|data|expert)[ _-]?parallel)|world[ _]size"
        r"|number of (?:GPUs|devices|attention heads)\b.*(?:must|exceed|larger|less)",
    ),
    (
        "quantization",
        r"Cannot find the config file for \w+|but not all shards of|weight quantization block|quantized weight shape"
        r"|[Qq]uanti[sz]ation (?:method|config|argument)"
        r"|quanti[sz]\w*.*(?:does not match|not supported|unknown|invalid|mismatch|cannot|not found)",
    ),
    (
        "quantization",
        r"\b(?:awq|gptq|fp8|nvfp4|mxfp4|bitsandbytes|marlin|gguf|modelopt|compressed-tensors)\b.*(?:not|only|require|kernel|mismatch|conflict)",
    ),
    (
        "context",
        r"max_model_len \(?\d+\)? is (?:greater|larger) than|derived max_model_len|max_position_embeddings|longer than the (?:maximum|model)",
    ),
    ("context", r"[Cc]ontext length .*(?:greater|longer|exceed)|maximum (?:model|sequence|context) len\w* .*(?:greater|larger|exceed)"),
    (
        "incompatible",
        r"mutually exclusive|does ?n[o']t (?:yet |currently )?support (?:LoRA|pooling|embed|chunked|prefix|pipeline|multi|sliding|async|`?--\w)"
        r"|cannot be (?:used|combined|set|enabled|specified) (?:together|with|when|at the same|simultaneously|both)|(?:not|in)compatible with",
    ),
    (
        "gone",
        r"\bhas been (?:removed|dropped)\b|\bwas (?:removed|dropped)\b|\bis no longer (?:supported|available|valid)|\bno longer supports?\b"
        r"|V0 (?:engine )?is (?:deprecated|no longer)|support for .{1,40} (?:has been|was) (?:removed|dropped)",
    ),
    (
        "incompatible",
        r"\w+ \(?\d+\)? (?:is|must be|has to be) (?:smaller|less|greater|larger|bigger|lower|higher)(?: than)?\b.* (?:than|to) \w+_\w+"
        r"|conflicts? with",
    ),
    (
        "incompatible",
        r"not supported (?:with|when|together|in combination|for \w+ when)|[Cc]annot (?:use|enable|set|specify) .*(?:with|and|together|when)\b",
    ),
    (
        "incompatible",
        r"only (?:supported|valid|allowed|works?|available) (?:with|when|if|for)|is not supported with\b"
        r"|[Nn]ot (?:yet |currently )?compatible with|(?:but|and) (?:it )?is not (?:enabled|set)\b|\bfor a non[ -]\w+ model|is only applicable when"
        r"|can only be (?:set|used|enabled) (?:with|when)|only set when|must be set together"
        r"|[Ee]ither .{2,60} or .{2,40} must be (?:provided|set|given)"
        r"|unsupported LoRA|supported LoRA modules"
        r"|requires? (?:--\w|enabl|setting|you to|the flag)|should not be set (?:with|when)",
    ),
    (
        "range",
        r"(?i)missing required keys|must be .{1,80}(?:,|;|but) ?(?:but )?(?:got|found)\b|must (?:not )?be (?:empty|non-empty)"
        r"|must be (?:in the range|in \[|between|less than|greater than|at least|at most|no (?:more|less)"
        r"|(?:a )?(?:strictly )?(?:positive|non-?negative)"
        r"|an? (?:integer|multiple|power)|[<>]=?|0 or)|divisible by|a multiple of|\bgot:? -?\d[\d.]*\b|out of range"
        r"|should be (?:in the range|between|greater|less|positive)",
    ),
    ("chat-template", r"chat[ _-]template|jinja2?\b|TemplateSyntaxError|TemplateError"),
    ("tokenizer", r"(?<!--)\btokeni[sz]er\b(?!-)|sentencepiece|tiktoken|vocab\.json|merges\.txt|spiece"),
    (
        "architecture",
        r"^KeyError: ['\"](?:qwen|llama|mistral|mixtral|gemma|phi|deepseek|glm|chatglm|internlm|internvl|baichuan|falcon|gpt_oss|minimax|kimi|ernie"
        r"|granite|exaone|olmo|nemotron|cohere|dbrx|jamba|mllama|pixtral|seed_oss|smollm|bailing|hunyuan|step|longcat|mimo)\w*['\"]",
    ),
    (
        "newer-release",
        r"(?:newer|later|more recent) (?:version|release)|please (?:update|upgrade)"
        r"|[Uu]pgrade (?:vllm|sglang|transformers|litellm|to)\b|requires (?:vllm|sglang)",
    ),
    ("package", r"PydanticUserError|Failed to import \S+ because of the following error"),
    ("package", r"^(?:\w+\.)*ImportError: |\w+ failed to import\b"),
    (
        "incompatible",
        r"--[a-z][\w-]+.{0,100}?\b(?:requires?|needs?|only|cannot|incompatible|unsupported|not (?:yet )?support\w*)\b"
        r"|\b(?:requires?|needs?|only|cannot|not (?:yet )?support\w*)\b.{0,120}--[a-z]",
    ),
    ("package", r"\bpip3? install [\w'\"\[]|[Ee]nsure (?:that )?[\w ]{2,40} (?:is|are) installed|requires the [\w.-]+ package|requires? [Tt]riton\b"),
)
# Where a framework takes its settings apart and checks them against each other: what is refused there is a setting, whatever the words.
_CHECKS = re.compile(r"(?:vllm/config(?:/\w+)?|vllm/engine/arg_utils|vllm/platforms/\w+|vllm/envs|srt/server_args(?:/\w+)?|srt/arg_groups/\w+)\.py")
_EACH_OTHER = re.compile(
    r"(?i)\brequires?\b|\bonly\b|not (?:yet |currently )?(?:support|applicable|allowed)|does ?n[o']t (?:yet )?support|cannot\b|can't|unless|together"
    r"|without\b|\bwhen\b|\bboth\b|disable|incompatib"
)
_RULES = tuple((topic, re.compile(pattern)) for topic, pattern in _TOPICS)
_READ = 1500


def of_settings(message: str, frames: Sequence[str], holder: str) -> str:
    """The topic of an error that arose where settings are checked (the last of `frames`, or the class `holder` of a refused object).

    Two settings against each other as the words say, or one by itself; empty where it arose elsewhere.
    """
    if not (frames and _CHECKS.search(frames[-1])) and not holder.endswith(("Config", "Args")):
        return ""
    return "incompatible" if _EACH_OTHER.search(message[:_READ]) else "setting"


def topic_of(message: str) -> str:
    """The topic that `message` (with the exception's class before it, where that is known) speaks of; empty where it speaks of none that is known."""
    text = message[:_READ]
    return next((topic for topic, rule in _RULES if rule.search(text)), "")
