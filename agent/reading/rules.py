"""What error lines say, as data: one rule a wording, the most telling first. Named groups become parameters."""

from agent.reading.machine_rules import MACHINE, SERVICE
from agent.reading.model_rules import MODEL_FILES
from agent.reading.rule import E as _E
from agent.reading.rule import Q as _Q
from agent.reading.rule import Rule
from agent.reading.rule import rule as _rule
from agent.reading.setting_rules import CREDENTIALS, OPTIONS

SHELL: tuple[Rule, ...] = (
    # What an entrypoint script, an init or a container runtime executes is the image's command, no line of a shell.
    _rule("container-exec", r"\bexec: (?P<command>-{1,2}[A-Za-z][^\s:]*): (?:command )?not found$", alone=True),
    _rule(
        "container-exec",
        r"(?:tini|dumb-init|catatonit)\b.*?\b(?:exec|spawn)\S* ['\"]?(?P<command>-{1,2}[A-Za-z][^\s:'\"]*)",
        alone=True,
    ),
    _rule(
        "command-not-found",
        r"^(?:\S+: )?(?:line \d+: |\d+: )?(?P<command>--?[A-Za-z][^\s:]*): (?:command )?not found$",
        alone=True,
    ),
    _rule(
        "other",
        r"^(?:\S+: )?(?:line \d+: |\d+: )?(?P<tool>\S*\b(?:nvidia-smi|lsb_release|git|which|ldconfig)): (?:command )?not found$",
        alone=True,
    ),
    _rule(
        "command-not-found",
        r"^(?:-?(?:ba|da|z|k|a)?sh|\S*/\w*sh|\S+\.sh): (?:line \d+: |\d+: )?(?P<command>.+?): (?:command )?not found$",
        alone=True,
    ),
    _rule("command-not-found", r"^(?:zsh|fish): (?:\S+: )?(?:command not found|Unknown command):? (?P<command>.+)$", alone=True),
    _rule("command-not-found", r"^(?P<command>[^\s:]+): command not found$", alone=True),
    _rule("command-not-found", r"^\S+: line \d+: (?P<command>[^\s:]+): command not found$", alone=True),
    _rule("container-exec", r"exec: \\?\"(?P<command>.*?)\\?\": (?:executable file not found in \$PATH|stat .*no such file)", alone=True),
    _rule("container-exec", r"executable file [`'\"](?P<command>[^`'\"]+)[`'\"] not found in \$PATH", alone=True),
    _rule(
        "command-not-found",
        r"(?:exec|failed to (?:create|start|exec)\w*).* (?P<command>\S+): no such file or directory",
        alone=True,
    ),
    _rule(
        "command-not-found",
        r"^(?:nohup|env|timeout|setsid|nice|stdbuf|exec|sudo|tini|numactl|taskset|xargs|chroot|\[FATAL tini[^\]]*\]|catatonit)[^:]*: "
        rf"(?:failed to (?:run|execute|exec)(?: command)?:? |exec |cannot run command )?{_Q}?(?P<command>.+?){_E}?"
        r"(?:: No such file or directory|: command not found| failed: No such file or directory)",
        alone=True,
    ),
    _rule("command-not-found", r"^(?P<command>\S+\.sh): [Nn]o such file or directory$", alone=True),
    _rule("command-not-found", r"Failed at step EXEC spawning (?P<command>\S+): No such file", alone=True),
    _rule("exec-refused", r"Failed at step EXEC spawning (?P<path>\S+): (?:Permission denied|Exec format)", alone=True),
    _rule("command-not-found", r"^'?(?P<command>[^'\s]+)'? is not recognized as an internal or external command", alone=True),
    _rule("command-not-found", r"The term '(?P<command>[^']+)' is not recognized", alone=True),
    _rule("other", r"^\S*sh: .*(?:syntax error|unexpected EOF|[Uu]nterminated quoted|bad substitution|unmatched [\"'])", alone=True),
    _rule("exec-refused", r"^\S*sh: (?:line \d+: |\d+: )?(?P<path>.+?): cannot execute(?: binary file)?.*$", alone=True),
    _rule("exec-refused", r"(?P<path>[^\s:'\"]+)['\"]?: .*[Ee]xec format error", alone=True),
    _rule("exec-refused", r"exec format error", alone=True),
    _rule("exec-refused", r"(?P<path>\S+): [Bb]ad interpreter: No such file or directory", alone=True),
    _rule("exec-refused", r"^(?:-?\w*sh|\S*/\w*sh|\S+\.sh): (?:line \d+: |\d+: )?(?P<path>.+?): Permission denied$", alone=True),
    _rule("exec-refused", r"exec: \\?\"(?P<path>.*?)\\?\": permission denied", alone=True),
    _rule(
        "exec-refused",
        rf"^(?:nohup|env|timeout|setsid|sudo)[^:]*: failed to (?:run|execute) command {_Q}(?P<path>.+?){_E}: Permission denied",
        alone=True,
    ),
    _rule("no-such-file", r"^\S*python\S*: can't open file ['\"](?P<path>.+?)['\"]: \[Errno 2\]", alone=True),
    _rule(
        "command-not-found",
        r"^(?:-?(?:ba|da|z|k|a)?sh|\S*/\w*sh|\S+\.sh): (?:line \d+: |\d+: )?(?P<command>.+?): No such file or directory$",
        alone=True,
    ),
)

ORCHESTRATOR: tuple[Rule, ...] = (
    _rule("interpolation", r"invalid interpolation format for (?P<name>[^\s:]+?)[.:]*(?:\s|$)", alone=True),
    _rule("interpolation", r"required variable (?P<name>\w+) is missing a value", alone=True),
    _rule("interpolation", r"error while interpolating (?P<name>[^\s:]+)", alone=True),
    _rule("interpolation", r"(?:execution error|parse error) (?:at|in) \(?(?P<name>[^\s:)]+)", alone=True),
    _rule("interpolation", r"template: (?P<name>[^\s:]+):\d+(?::\d+)?: ", alone=True),
    _rule("interpolation", r"couldn't resolve variable ['\"$({]*(?P<name>\w+)", alone=True),
)

KILLED: tuple[Rule, ...] = (
    _rule("killed", r"KeyboardInterrupt: terminated", alone=True, signal="SIGTERM"),
    _rule(
        "killed",
        r"(?:[Ll]iveness|[Ss]tartup) probe failed|failed (?:liveness|startup) probe|start operation timed out\. Terminating|DUE TO TIME LIMIT"
        r"|JobDeadlineExceeded|Stopping container|received (?:signal )?SIGTERM|Received signal 15",
        alone=True,
        signal="SIGTERM",
    ),
    _rule("killed", r"died unexpectedly \(exit code: -(?P<number>\d+)\)", alone=True),
    _rule("killed", r"(?:exit ?code|exitcode)[:= ]+-(?P<number>9|15|11|6|7|4)\b", alone=True),
    _rule("killed", r"trigger received signal=(?P<signal>SIG[A-Z]+)", alone=True),
    _rule("killed", r"^(?:\S+: (?:line \d+: )?)?(?: *\d+ )?(?:\(core dumped\) )?Killed(?:$|  )", alone=True, signal="SIGKILL"),
    _rule("killed", r"code=killed, status=9", alone=True, signal="SIGKILL"),
    _rule("killed", r"[Ss]egmentation fault|!!!!!!! Segfault encountered|SIGSEGV", alone=True, signal="SIGSEGV"),
    _rule("killed", r"Illegal instruction|trap invalid opcode|SIGILL", alone=True, signal="SIGILL"),
    _rule("killed", r"(?:^|[:\]] |\d +)[Bb]us error|SIGBUS", alone=True, signal="SIGBUS"),
    _rule("killed", r"^(?:Terminated|.*: line \d+: +\d+ Terminated)", alone=True, signal="SIGTERM"),
    _rule("killed", r"^(?:Aborted|.*: line \d+: +\d+ Aborted)", alone=True, signal="SIGABRT"),
)

ADDRESS: tuple[Rule, ...] = (
    _rule("address-in-use", r"(?i)address already in use \(addr='\w+://[^']*:(?P<port>\d+)'", alone=True),
    _rule("address-in-use", r"(?i)port: (?P<port>\d+),.*EADDRINUSE", alone=True),
    _rule(
        "address-in-use",
        r"\[Errno (?:98|48|10048)\] error while attempting to bind on address \(['\"](?P<host>[^'\"]*)['\"], (?P<port>\d+)",
        alone=True,
    ),
    _rule("address-in-use", r"(?:port|Port) (?P<port>\d+) is (?:already )?(?:in use|occupied|not available)", alone=True),
    _rule("address-in-use", r"(?i)bind(?:ing)? (?:to |for )?\S*?:(?P<port>\d+)\S* failed.*address already in use", alone=True),
    _rule("address-in-use", r"(?i)(?:Connection in use|address(?: is)? already in use)\D*?(?:\('[^']*', |:)(?P<port>\d{2,5})", alone=True),
    _rule("address-in-use", r"EADDRINUSE.*?:(?P<port>\d+)", alone=True),
    _rule("invalid-value", r"\[Errno 99\]|[Cc]annot assign requested address|EADDRNOTAVAIL", alone=True, flag="--host"),
    _rule("address-in-use", r"\[Errno (?:98|48|10048)\]|EADDRINUSE|(?i:address already in use)", alone=True),
)

IMPORTS: tuple[Rule, ...] = (
    _rule("undefined-symbol", r"(?P<library>[^\s'\"(]+\.so[\w.]*): undefined symbol: (?P<symbol>\w+)", alone=True),
    _rule("undefined-symbol", r"undefined symbol: (?P<symbol>\w+)", alone=True),
    _rule("undefined-symbol", r"DLL load failed while importing (?P<library>\w+)"),
    _rule("missing-module", rf"Error while finding module specification for .*No module named {_Q}?(?P<module>[\w.]+)", alone=True),
    _rule("missing-module", r"^\S*python[\w.]*: No module named (?P<module>[\w.-]+)", alone=True),
    _rule(
        "missing-module",
        r"^\S*python[\w.]*: (?P<module>[\w.]+) is a package and cannot be directly executed|^\S*python[\w.]*: No module named (?P<module2>[\w.]+)",
        alone=True,
    ),
    _rule("missing-module", rf"(?:ModuleNotFoundError|ImportError).*No module named {_Q}?(?P<module>[\w.-]+)"),
    _rule("missing-module", rf"^No module named {_Q}(?P<module>[\w.-]+){_E}$", alone=True),
    _rule("missing-module", rf"[Ff]ailed to import .*: No module named {_Q}(?P<module>[\w.-]+)", alone=True),
    _rule("missing-module", r"The Client hasn't been generated yet|Unable to find Prisma binaries|BinaryNotFoundError", alone=True, module="prisma"),
    _rule("missing-module", r"(?:because )?the (?P<module>[\w.-]+) (?:package|library|module) is not (?:found|installed|available)"),
    _rule("missing-module", r"PackageNotFoundError.*No package metadata was found for (?P<module>[\w.-]+)"),
    _rule("missing-module", r"DistributionNotFound: The ['\"](?P<module>[\w.-]+)"),
    _rule("missing-module", r"the (?P<module>prisma) CLI is neither on PATH nor importable", alone=True),
    _rule("missing-module", r"(?:ImportError|Exception): (?P<module>[\w-]+)(?: with minimum required version \S+)? is not installed"),
    _rule("missing-module", r"ImportError: .*requires the (?P<module>[\w.-]+) library but it was not found"),
    _rule("missing-module", r"ImportError: (?P<module>[\w.-]+)(?:, \w+)? (?:needs to be imported|must be installed)"),
    _rule(
        "missing-module",
        r"(?:ImportError|RuntimeError|ValueError): (?P<module>[A-Za-z][\w.-]+) (?:is|are) not (?:available|installed)\.?(?: Please|$)",
    ),
    _rule(
        "python-too-old",
        r"TypeError: unsupported operand type\(s\) for \|: 'type' and '\w+'|TypeError: unsupported operand type\(s\) for \|: '\w+' and 'NoneType'",
    ),
    _rule(
        "python-too-old",
        r"(?i)requires? (?:a different )?python ?(?:version )?(?:>=|:)|python 3\.\d+ (?:or (?:newer|later|higher"
        r"|above) )?is required|unsupported python version",
    ),
    _rule("import-name", r"cannot import name ['\"](?P<name>\w+)['\"] from (?:partially initialized module )?['\"](?P<module>[\w.]+)"),
    _rule("attribute-missing", r"AttributeError: .*?['\"](?P<object>[\w.]+)['\"](?: object)? has no attribute ['\"](?P<name>\w+)"),
    _rule(
        "attribute-missing", r"AttributeError: (?:partially initialized )?module ['\"](?P<object>[\w.]+)['\"] .*has no attribute ['\"](?P<name>\w+)"
    ),
    _rule("attribute-missing", r"AttributeError: (?P<object>[\w.]+) has no attribute ['\"]?(?P<name>\w+)"),
    _rule("attribute-missing", r"AttributeError: .*['\"](?P<object>_?\w+)['\"] ['\"]\w+['\"] object has no attribute ['\"](?P<name>\w+)"),
    _rule("signature-mismatch", r"TypeError: (?P<function>[\w.<>]+)\(\) got an unexpected keyword argument ['\"](?P<name>\w+)"),
    _rule(
        "signature-mismatch", r"TypeError: (?P<function>[\w.<>]+)\(\) missing \d+ required (?:positional|keyword-only) arguments?: ['\"](?P<name>\w+)"
    ),
    _rule("signature-mismatch", r"TypeError: (?P<function>[\w.<>]+)\(\) takes (?:from )?\d+"),
)

MODEL: tuple[Rule, ...] = (
    _rule(
        "offline",
        r"outgoing traffic has been disabled|LocalEntryNotFoundError|OfflineModeIsEnabled|HF_HUB_OFFLINE|offline mode is enabled",
        alone=True,
    ),
    _rule("offline", r"[Cc]ouldn't connect to ['\"]https://(?:huggingface\.co|hf-mirror\.com|www\.modelscope)", alone=True),
    _rule("offline", r"host=\\?['\"]huggingface\.co.*Max retries exceeded.*url: /(?:api/models/)?(?P<model>[\w.-]+/[\w.-]+)", alone=True),
    _rule(
        "offline",
        r"(?:Max retries exceeded|NameResolutionError|ConnectTimeout|Connection\w* (?:refused|timed out)).*huggingface\.co"
        r"|huggingface\.co.*(?:Max retries exceeded|NameResolutionError)",
        alone=True,
    ),
    _rule(
        "offline",
        r"(?:Timeout|Timed? ?out|timed out|429 Client Error|Too Many Requests|50\d Server Error).*(?:huggingface\.co|hf-mirror\.com)"
        r"|(?:huggingface\.co|hf-mirror\.com).*(?:[Tt]imed? ?out|Timeout|Too Many Requests)",
        alone=True,
    ),
    _rule("repository-not-found", r"(?:Revision|Entry) Not Found for url: https?://[^/]+/(?P<model>[\w.-]+/[\w.-]+?)/(?:resolve|tree)", alone=True),
    _rule("repository-invalid", rf"Repo id must (?:be in the form|use alphanumeric|not have).*?: {_Q}(?P<model>.*?){_E}\. ?(?:Use|$)"),
    _rule("repository-invalid", rf"Repo id must (?:be in the form|use alphanumeric|not have).*: {_Q}(?P<model>.*?){_E}", alone=True),
    _rule("repository-invalid", r"HFValidationError"),
    _rule("repository-not-found", r"404 Client Error.*(?:huggingface\.co|hf-mirror\.com)/(?:api/models/)?(?P<model>[\w.-]+/[\w.-]+)", alone=True),
    _rule(
        "repository-not-found",
        r"Repository Not Found for url: https?://[^/]+/(?:api/models/)?(?P<model>[\w.-]+/[\w.-]+?)(?:/(?:resolve|tree|revision)|\.?(?:\s|$))",
        alone=True,
    ),
    _rule(
        "repository-not-found",
        r"(?:^|: |, )(?P<model>[^\s:,](?:[^:\n]|:(?=[/\\]))*?) is not a local folder (?:or a valid repository|and is not a valid model identifier)",
    ),
    _rule("repository-not-found", r"RepositoryNotFoundError"),
    _rule("repository-not-found", rf"(?:Invalid repository ID or local directory specified|[Ii]ncorrect path_or_model_id): {_Q}(?P<model>.*?){_E}"),
)

FILES: tuple[Rule, ...] = (
    _rule("no-such-file", r"Loading lora [\w.-]+ failed: No adapter found for (?P<path>[/.~]\S*)$"),
    _rule("no-such-file", r"ImportError: Could not (?:import \S+ from|find a module specification for|create module spec for) (?P<path>\S+)"),
    _rule(
        "file-refused",
        r"(?:general_settings|litellm_settings|router_settings|model_list|environment_variables)\b.{0,80}"
        r"(?:\bmust\b|needs\b|resolved to|[Ii]nvalid|is not\b|not a valid|NOT a valid)|is NOT a valid (?P<key>\w+) parameter|not a YAML mapping",
    ),
    _rule("file-malformed", r"config file at ['\"](?P<path>[^'\"]+)['\"] is not a valid JSON"),
    _rule("file-malformed", r"Error loading yaml file (?P<path>[^\s:]+)"),
    _rule("file-refused", r"Config cannot be None or Empty"),
    _rule("no-such-file", r"[Cc]onfig file not found: (?P<path>.+)$", alone=True),
    _rule("no-such-file", r"chat template string \((?P<path>.+?)\) appears path-like, but doesn't exist"),
    _rule("no-such-file", r"(?:FileNotFoundError|OSError|IOError|\[Errno 2\]).*No such file or directory: b?['\"](?P<path>.+?)['\"]$"),
    _rule("no-such-file", r"(?:FileNotFoundError|\[Errno 2\]).*No such file or directory: b?['\"]?(?P<path>[^'\"]+)"),
    _rule("no-such-file", r"IsADirectoryError: \[Errno 21\] Is a directory: ['\"](?P<path>.+?)['\"]$", state="directory"),
    _rule("no-such-file", r"NotADirectoryError: \[Errno 20\] Not a directory: ['\"](?P<path>.+?)['\"]$"),
    _rule(
        "no-such-file",
        r"(?:FileNotFoundError|OSError): (?:.*?(?:file|path|directory) )?['\"`]?(?P<path>[./~][^\s'\"`]+)['\"`]? "
        r"(?:does not exist|not found|was not found)",
    ),
    _rule("no-such-file", r"FileNotFoundError"),
    _rule("permission-denied", r"(?:PermissionError|\[Errno 13\]).*Permission denied: b?['\"](?P<path>.+?)['\"]"),
    _rule("permission-denied", r"PermissionError|\[Errno 13\] Permission denied"),
    _rule("file-malformed", r"(?:UnicodeDecodeError|JSONDecodeError).*(?P<path>/[^\s'\"]+\.(?:json|ya?ml|jinja2?))"),
    _rule("file-malformed", r"[Uu]nable to (?:read|parse) (?:the )?config file (?:at )?(?P<path>\S+\.ya?ml)"),
    _rule("file-refused", r"Config file must be of a yaml/yml type"),
    _rule("json-invalid", r"JSONDecodeError: (?P<message>.*)"),
)

RULES: tuple[Rule, ...] = (
    *OPTIONS,
    *ORCHESTRATOR,
    *ADDRESS,
    *CREDENTIALS,
    *KILLED,
    *MACHINE,
    *MODEL_FILES,
    *IMPORTS,
    *MODEL,
    *SHELL,
    *FILES,
    *SERVICE,
)
