"""What programs say when the model's files are not what they need. Data, one rule a wording."""

from agent.reading.rule import E, Q, Rule, late

MODEL_FILES: tuple[Rule, ...] = (
    late("no-tokenizer", r"^\w*Exception: (?:expected|EOF while|invalid|missing field|unknown variant) .*at line \d+ column \d+", alone=False),
    late("remote-code", r"contains? custom code which must be executed", weak=True),
    late(
        "remote-code",
        r"trust_remote_code=True|--trust-remote-code\b.*(?:required|to allow)|requires? you to execute .*(?:modeling|configuration|code)",
    ),
    late("remote-code", r"No module named ['\"](?P<module>transformers_modules\.[\w.-]*)"),
    late("remote-code", r"This modeling file requires the following packages|packages that were not found in your environment: (?P<module>[\w, -]+)"),
    late("gated", r"[Gg]ated repo|Access to model (?P<model>\S+) is restricted|GatedRepoError|awaiting a review|not in the authorized list"),
    late(
        "gated",
        r"40[13] Client Error.*(?:huggingface\.co|hf\.co|hf-mirror\.com)/(?:api/models/)?(?P<model>[\w.-]+/[\w.-]+?)(?:/resolve|/tree|\.|\s|$)",
    ),
    late(
        "gated",
        r"(?:You (?:must|need to) (?:have access|be authenticated|be logged in)|Please log ?in|Invalid (?:user )?(?:token"
        r"|credentials in Authorization header)|Cannot access gated)",
    ),
    late(
        "incomplete-weights",
        r"Cannot find any (?:\w+ )?model weights|[Cc]ould not detect config format|[Nn]o (?:safetensors "
        r"|model )?weights? (?:files? )?(?:were |was )?found|No (?:\.?(?:bin"
        r"|safetensors|pt|gguf)) (?:weights? )?files? found",
    ),
    late(
        "incomplete-weights",
        r"Weight files referenced in index but missing: \{?['\"](?P<path>[^'\"]+)"
        r"|does not appear to have (?:a )?files? named \(?['\"]?(?P<path2>[\w./-]*\w)",
    ),
    late(
        "incomplete-weights",
        r"no file named (?P<path>[\w./-]+)|[Ww]eights were not initialized from (?:the )?checkpoint|[Mm]issing keys? (?:in"
        r"|when loading)|Missing (?:shard|safetensors)",
    ),
    late(
        "incomplete-weights",
        r"Can't load (?:the )?(?:image processor|feature extractor|processor|configuration) (?:for|of)|missing (?:weight|shard|tensor)s?\b",
    ),
    late(
        "corrupt-weights",
        r"deserializing header|SafetensorError|MetadataIncompleteBuffer|InvalidHeader\w*|HeaderTooLarge|header too large|incomplete metadata",
    ),
    late(
        "corrupt-weights",
        r"PytorchStreamReader failed|unexpected EOF, expected|invalid load key|UnpicklingError|[Ff]ile is (?:corrupt|truncated)"
        r"|[Cc]orrupted (?:file|checkpoint|weights?)|not a zip archive",
    ),
    late(
        "corrupt-weights",
        r"Consistency check failed|file should be of size|(?:checksum|hash|sha256)\b.{0,20}mismatch|(?:GGUF|gguf) (?:magic"
        r"|file).*(?:invalid|mismatch|corrupt)",
    ),
    late(
        "weights-mismatch",
        r"size mismatch for|Attempted to load weight|param\w*(?:\.data)?\.(?:size\(\)|shape) == \w*(?:weight|param)\w*"
        r"|exceeds dimension size|shapes? (?:mismatch|do(?:es)? not match|'?\[[\d, ]+\]'? is invalid)",
    ),
    late(
        "weights-mismatch",
        r"(?:There is no module or parameter named|no (?:module|parameter) .* named|Unexpected (?:key"
        r"|weight)\(?s?\)?) ['\"]?(?P<name>[\w.]+)|KeyError: ['\"](?P<name2>(?:model|layers|lm_head|transformer|language_model"
        r"|visual)\.[\w.]+)",
    ),
    late(
        "weights-mismatch",
        r"The size of tensor a \(\d+\) must match|mat1 and mat2 shapes cannot|start \(\d+\) \+ length \(\d+\) exceeds|narrow\(\)",
        alone=False,
    ),
    late(
        "no-tokenizer",
        r"Can't load tokenizer for|Couldn't instantiate the backend tokenizer|Tokenizer class (?P<name>\S+) does not exist"
        r"|[Ff]ailed to load the tokenizer",
    ),
    late(
        "no-tokenizer",
        r"untagged enum ModelWrapper|could not parse ModelProto|tokenizer\.(?:model|json)\b.*(?:not found|missing|does not|no such)"
        r"|(?:tekken|tokenizer)\S* (?:file )?(?:is )?(?:missing|not found)",
    ),
    late(
        "no-tokenizer",
        rf"[Nn]o (?:valid )?tokenizer (?:file )?(?:found|could)|[Cc]annot (?:load|find|use) (?:the )?tokenizer"
        rf"|{Q}tokenizer{E} (?:is )?None|vocab_file.*None",
    ),
)
