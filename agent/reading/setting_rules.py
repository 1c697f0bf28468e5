"""What programs say of the settings of a launch outside any parser: secrets and variables that are not set, choices. Data, one rule a wording."""

from agent.reading.rule import Rule, rule

CREDENTIALS: tuple[Rule, ...] = (
    rule(
        "credentials-missing",
        r"password authentication failed|Authentication failed against database|\bP1000\b|NOAUTH Authentication|WRONGPASS",
        alone=True,
        name="the service's password",
    ),
    rule("credentials-missing", r"error: Environment variable not found: (?P<name>\w+)", alone=True),
    rule(
        "credentials-missing",
        r"NoCredentialsError|Unable to locate credentials|DefaultCredentialsError|default credentials were not found"
        r"|CredentialUnavailableError|DefaultAzureCredential failed|NoAuthTokenError|PartialCredentialsError",
        name="the cloud's credentials",
    ),
    rule(
        "credentials-missing",
        r"\b(?P<name>(?!CUDA|LD_|NCCL|MASTER_|RANK|WORLD_|LOCAL_|VLLM_|SGLANG_|SGL_|TORCH|CC\b)[A-Z][A-Z0-9]+_[A-Z0-9_]+)[`'\"]? "
        r"(?:environment variable )?(?:is |was |are )?(?:not (?:set|found in (?:the )?environment|provided|defined)|from environment)",
    ),
    rule("credentials-missing", r"[Mm]issing (?:required )?(?:environment variables?|env vars?)\W+(?P<name>[A-Z][A-Z0-9_]+)", alone=True),
    rule("credentials-missing", r"Missing .{0,40}credentials\. Please set (?:either:? ?-? ?)?(?P<name>[A-Z][A-Z0-9_]+)"),
    rule("credentials-missing", r"Missing credentials\. Please pass .*? the `(?P<name>[A-Z][A-Z0-9_]+)`"),
    rule(
        "credentials-missing",
        r"Enterprise (?:Feature|License|user)|only available for premium users|valid LITELLM_LICENSE",
        name="LITELLM_LICENSE",
    ),
    rule("credentials-missing", r"refused to start: no master key is set", alone=True, name="LITELLM_MASTER_KEY"),
    rule("credentials-missing", r"(?i:master[ _]key) (?:is )?(?:not set|required|must be set|missing)", alone=True, name="LITELLM_MASTER_KEY"),
    rule("credentials-missing", r"refused to start: .*master key", alone=True, name="LITELLM_MASTER_KEY"),
    rule("credentials-missing", r"api_key client option must be set .*setting the (?P<name>[A-Z][A-Z0-9_]+) environment variable", alone=True),
    rule(
        "credentials-missing",
        r"(?P<name>[A-Z][A-Z0-9]*_(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS)) (?:environment variable )?(?:is )?"
        r"(?:not (?:set|found|provided)|must be set|is required|missing)",
        alone=True,
    ),
    rule("credentials-missing", r"KeyError: ['\"](?P<name>[A-Z][A-Z0-9]*_(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS))['\"]"),
    rule(
        "credentials-missing",
        r"(?:Environment variable|Missing) (?P<name>[A-Z][A-Z0-9]*_(?:KEY|TOKEN|SECRET|PASSWORD)) (?:is )?(?:not set|not found)?",
        alone=True,
    ),
)

OPTIONS: tuple[Rule, ...] = (
    rule("invalid-choice", r"invalid tool call parser: (?P<value>\S+) \(chose from \{ ?(?P<choices>[^}]*?) ?\}", flag="--tool-call-parser"),
    rule("invalid-choice", r"invalid reasoning parser: (?P<value>\S+) \(chose from \{ ?(?P<choices>[^}]*?) ?\}", flag="--reasoning-parser"),
    rule(
        "invalid-choice",
        r"(?:Invalid|Unknown|Unsupported|Unrecognized|unknown) (?P<flag>(?!quanti|model|architecture|field|key|argument)[A-Za-z][\w -]{2,40}?):?"
        r" ['\"`]?(?P<value>[\w.+-]+)['\"`]?[.,;:]? .{0,40}?(?:[Vv]alid|[Mm]ust be|[Ss]upported|[Aa]vailable|[Cc]hoose|[Ee]xpected"
        r"|[Aa]llowed|[Oo]ptions)"
        r"[^\[{(]{0,60}[\[{(](?P<choices>[^\])}]*)",
    ),
    rule(
        "invalid-choice",
        r"(?:Invalid|Unknown|Unsupported|Unrecognized) (?P<flag>(?!quanti|model|architecture|field|key|argument)[A-Za-z][\w -]{2,40}?):?"
        r" ['\"`]+(?P<value>[\w.+-]+)['\"`]+\.? (?:Valid|Supported|Available) [\w ]{3,30}(?:are|:):? (?P<choices>['\"\w].*)",
    ),
    rule("invalid-choice", r"Error: Unknown (?P<flag>dtype|load format|data type|device): ?['\"]?(?P<value>[\w.-]+)['\"]?$", choices=""),
    rule(
        "invalid-choice",
        r"(?:^|[: ])(?P<flag>[a-z_]{4,40}) must be (?P<choices>['\"]\w+['\"](?:(?:,| or"
        r"|, or) ['\"]\w+['\"])+),? (?:but )?got:? ['\"]?(?P<value>[\w.-]+)",
    ),
    rule("required-missing", r"^(?:TypeError|ValueError|Error): (?:Error: )?(?P<given>--[\w-]+) requires (?P<flag>--[\w-]+)"),
)
