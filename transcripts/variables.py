"""The variables in which evidence is written down, each with its exclusive values and their base rates.

The base rate of a value is its probability when nothing is known of the cause: ``unknown`` has it, and so has every cause that does
not speak about the variable. What is not listed shares ``other``. Rates of one variable sum to 1 (a test checks it).
"""

from types import MappingProxyType

from msgspec import Struct


class Variable(Struct, frozen=True):
    """One variable: its values with their base rates, and what it tells, in a sentence."""

    name: str
    about: str
    rates: MappingProxyType[str, float]

    def base(self, value: str) -> float:
        """The base rate of `value`; a value that is not listed is one of ``other``."""
        return self.rates.get(value, self.rates["other"])


def _variable(name: str, about: str, **rates: float) -> Variable:
    named = {key.replace("_", "-"): rate for key, rate in rates.items()}
    named["other"] = round(1.0 - sum(named.values()), 9)
    return Variable(name, about, MappingProxyType(named))


ERROR = _variable(
    "error",
    "what kind of decisive error the launch ended with, or is sure to end with",
    # the argument parser
    converter_refused=0.03,  # flag, value: argparse called the converter of a registered flag, and it refused
    json_invalid=0.01,  # flag, value: the converter says that the value is no JSON
    unrecognised=0.08,  # flag (the token), value (the token as printed), tokens (all of them, JSON list)
    invalid_choice=0.03,  # flag, value, choices
    invalid_subcommand=0.01,  # value, choices
    invalid_value=0.02,  # flag, value, type
    expected_argument=0.02,  # flag
    takes_no_value=0.005,  # flag, value
    ambiguous_option=0.005,  # flag, matches
    required_missing=0.01,  # flag (the names)
    # configuration objects
    unexpected_key=0.01,  # class, key
    validation=0.02,  # class, field, message
    # imports
    missing_module=0.03,  # module
    import_name=0.02,  # module, name
    attribute_missing=0.02,  # object, name
    undefined_symbol=0.01,  # library, symbol
    signature_mismatch=0.005,  # function, name
    python_too_old=0.003,  # this interpreter does not understand the package's source
    # files and names
    no_such_file=0.03,  # path
    permission_denied=0.02,  # path
    file_malformed=0.02,  # path
    file_refused=0.01,  # path, key: the file parses, its content is refused
    repository_not_found=0.02,  # model
    repository_invalid=0.02,  # model: not a valid repository id (a path that is absent reads so too)
    offline=0.01,  # model: the hub cannot be reached
    credentials_missing=0.015,  # name
    command_not_found=0.03,  # command
    container_exec=0.006,  # command: a container runtime did not find the first word of the command in the image
    exec_refused=0.005,  # path: exists, cannot be executed
    # the machine
    address_in_use=0.02,  # port
    killed=0.02,  # signal
    device=0.02,  # none is visible, or none that this build can use
    driver=0.006,  # too old, or at odds with its libraries
    driver_absent=0.006,  # library
    compute_capability=0.008,  # capability: the build, or the setting, is not for this device
    device_fault=0.01,  # an error of the device's own while a kernel ran
    fork=0.004,
    cpu_features=0.003,  # feature
    ranks=0.006,  # more ranks than devices
    memory=0.03,  # the device's memory ended: an allocation failed
    free_memory=0.008,  # free, total, asked: too little was free before anything was loaded
    cache_memory=0.012,  # asked, free, held: too little is left for the key-value cache
    host_memory=0.006,
    shared_memory=0.006,  # path
    collective=0.012,  # interface: the ranks do not find, or do not understand, each other
    service=0.012,  # address: refuses the connection, or cannot be found
    proxy=0.005,
    toolchain=0.01,  # tool, header
    library_missing=0.01,  # library
    limit=0.008,  # limit
    disk_full=0.008,  # path
    read_only=0.004,  # path
    # the model's files
    gated=0.008,  # model
    remote_code=0.007,  # module
    incomplete_weights=0.01,  # path
    corrupt_weights=0.008,
    weights_mismatch=0.006,  # name: the files do not hold what the configuration says
    no_tokenizer=0.007,
    # the launch as a whole
    hang=0.02,  # phase
    interpolation=0.005,  # name: an orchestrator refused its own template
    none=0.05,  # the log is whole and holds no decisive line
    up=0.02,  # it came up
)

MEMORY_OF = _variable(
    "memory-of",
    "what the memory was wanted for, or by whom it is held, as the numbers of the message, the frames and the phase tell",
    weights=0.25,
    cache=0.15,
    capture=0.2,  # profiling, warming up, graphs: after the weights, besides the cache
    others=0.15,  # another process holds it
    share=0.05,  # nobody holds much: the share that is asked for is too large
)

SHAPE = _variable(
    "shape",
    "the shape of the value, or token, that the error or the argv shows",
    intact=0.3,  # a plain value as one would write it
    intact_json=0.08,
    cut_stripped=0.02,  # {method:        cut at the first space, quotes gone
    cut_kept=0.01,  # {"a":           cut at the first space, quotes kept
    stripped=0.015,  # {method: x, n: 1} or {method:x}
    alternative=0.01,  # image:4         one alternative of the braces
    json_tail=0.01,  # dflash,  15}    a later piece of a JSON value
    path=0.06,
    dollar=0.01,  # $X ${X} ~
    empty=0.01,
    next_flag=0.01,  # a flag stands where a value should
    escaped=0.005,  # \{\"a\"
    quoted=0.005,  # '{"a": 1}'   "x"   with the quotes as data
    typographic=0.005,  # curly quotes, en dash, no-break space, \r
    template=0.005,  # {{…}} {name}
    python_literal=0.01,  # {'a': 1}, True
    broken_json=0.02,  # JSON-like, quotes in place, does not parse
    old_format=0.01,  # image=4
    boolean_word=0.02,  # true, false, 1, yes…
    joined=0.01,  # --flag value in one token
    joined_equals=0.002,  # --flag=a --other=b in one token
    whole_command=0.005,  # a command line in one word
    command=0.008,  # a program or subcommand where an option or a model is wanted
    backslash=0.005,  # "\ "
    windows_path=0.003,
    flag=0.15,  # --flag-like token
    single_dash=0.02,  # -flag-like token with one dash
    word=0.05,  # a bare word where none is wanted
)

REGISTERED = _variable("registered", "whether the parser of this release and command has the flag", yes=0.69, no=0.3)

KIN = _variable(
    "kin",
    "what a flag that is not registered is related to, the nearest kinship only",
    near=0.12,  # a near miss of a registered flag; near
    single_dash=0.03,  # a registered flag with one dash; near
    underscore=0.02,  # underscores where this parser wants dashes, or the reverse; near
    earlier=0.05,  # an earlier release had it, nothing replaces it; last
    successor=0.05,  # an earlier release had it, another flag or key replaces it; successor, last
    later=0.04,  # a later release has it; first
    api_only=0.02,  # a field of the Python API
    config_key=0.02,  # a key of a JSON config; config
    foreign=0.04,  # another framework's; framework
    other_command=0.03,  # another subcommand or entry point has it; command
    once=0.02,  # some recorded releases had it, the newest has not, and the release at hand is not known; last
    once_replaced=0.02,  # the same, and something replaces it; successor, last
    before=0.03,  # the first recorded release has it, and the one at hand is older; first
    nowhere=0.3,
)

SENT = _variable(
    "sent",
    "whether the value in the error can come from the launch it is said to come from",
    consistent=0.95,
    another=0.02,
)

DELIVERY = _variable(
    "delivery",
    "what arrives at the program through the layers of the launch (by echo, or by the shell's grammar)",
    as_meant=0.7,
    split=0.02,
    stripped=0.02,
    expanded=0.015,  # braces
    joined=0.015,
    dollar=0.015,
    cut=0.01,  # the command ends early
    altered=0.02,
)

MANIFEST = _variable(
    "manifest",
    "what the format of the file that a launch stands in does to its command, or does not do for it",
    as_written=0.85,
    wrong_type=0.02,  # field, value, type: a number or a switch where the format takes only text
    not_a_list=0.01,  # field, value: one text where the format takes only a list
    entrypoint_repeated=0.01,  # value: words that the image's entrypoint says already
    entrypoint_ignores=0.01,  # value: words that an entrypoint in shell form throws away
    unbalanced=0.01,  # field, path, message: a quote that stays open
    no_shell=0.015,  # value: shell syntax, and no shell reads it
    not_absolute=0.01,  # command: a relative path where only an absolute one, or a plain name, is taken
    refused=0.01,  # field, path, message: the file is refused for another reason
)

PROVENANCE = _variable("provenance", "whether the log read is this attempt's own", own=0.9, stale=0.04)

COMMAND = _variable(
    "command",
    "what the first word of the server command resolves to",
    found=0.85,
    absent=0.05,
    denied=0.01,
    another=0.03,  # found, but another install than the one meant; path, meant
)

INSTALL = _variable(
    "install",
    "whether the framework's install in that interpreter fits together",
    sound=0.75,
    missing_dependency=0.05,  # module
    wrong_dependency=0.05,  # module, wanted, found
    abi=0.02,  # library, wanted, found
    no_framework=0.03,
)

FILE = _variable("file", "the state of a file that the launch names", present=0.7, absent=0.08, denied=0.03, malformed=0.05, refused=0.03)

PORT = _variable("port", "who holds the port that the launch wants", free=0.8, taken=0.08)

CREDENTIALS = _variable("credentials", "whether a secret that is needed is set (by name, never its value)", set=0.7, unset=0.15)

ENVIRONMENT = _variable("environment", "environment variables that the framework reads", clean=0.8, collision=0.05, unknown_name=0.03)

MODEL = _variable("model", "what the model argument names", folder=0.5, hub_id=0.3, absent=0.08, not_a_model=0.04)

ACCELERATOR = _variable(
    "accelerator",
    "what the device tool shows: devices with their memory free, held by other processes, none, or a driver that fails",
    free=0.6,
    occupied=0.1,  # free, total
    none=0.12,
    failed=0.06,  # message
)

LIMITS = _variable("limits", "the limits of open files, threads and locked memory that a server started there gets", enough=0.85, low=0.1)

KERNEL = _variable(
    "kernel",
    "what the kernel's log and the counters of the memory group tell of the last hour; limit",
    quiet=0.9,
    oom_kill=0.04,
)

SPACE = _variable(
    "space",
    "the room on the disks of the cache and temporary folders, and in shared memory",
    enough=0.75,
    full=0.08,  # path
    read_only=0.04,  # path
    small_shm=0.08,
)

WEIGHTS = _variable(
    "weights",
    "the files of weights in the model's folder against those that its index names",
    whole=0.75,
    missing=0.06,  # path
    pointers=0.03,  # path: files of a few bytes that only name the large ones
    empty=0.02,  # path
    none=0.05,
)

COMPANION = _variable(
    "companion",
    "whether something else runs inside the server (a plugin, a connector, a distribution built on it); companion",
    named=0.06,  # it is named by the launch, by the release as stated, or by the code that raised the error
    owner=0.004,  # the flag or module of the error bears its name
)

TOPIC = _variable(
    "topic",
    "what the message of the error speaks of, where its kind alone says little; message",
    variable=0.008,  # a variable of the environment and its value
    package=0.02,  # another package that does not fit
    architecture=0.015,
    rope=0.005,
    parallelism=0.015,
    quantization=0.015,
    speculative=0.01,
    context=0.01,
    incompatible=0.025,  # two settings of this launch
    range=0.012,  # one setting and the values that it may have
    setting=0.02,  # a setting, by the place where it was refused
    gone=0.006,  # what this release no longer has
    chat_template=0.008,
    tokenizer=0.015,
    newer_release=0.008,
)

PHASE = _variable(
    "phase",
    "the last phase the launch reached",
    none=0.1,
    arguments=0.25,
    config=0.15,
    model=0.1,
    weights=0.1,
    engine=0.1,
    cache=0.05,
    server=0.08,
    up=0.02,
)

EXIT = _variable(
    "exit",
    "how it ended, where no line tells why",
    ok=0.05,
    failure=0.4,
    usage=0.1,
    denied=0.02,
    absent=0.04,
    killed=0.08,
    terminated=0.08,
    crashed=0.03,
    illegal=0.005,  # SIGILL
    bus=0.005,  # SIGBUS
)

SUPERVISOR = _variable(
    "supervisor",
    "what a container runtime says of the end of a container, which is evidence and no proof",
    exited=0.7,
    oom_killed=0.04,  # limit
    killed=0.06,  # by a signal, and nothing is said of memory
    killed_limited=0.04,  # the same, under a memory limit: the runtime does not always notice
    probed=0.05,  # probe, seconds: by a signal, and a probe may have asked for it
    evicted=0.02,  # reason
)

RELAUNCH = _variable("relaunch", "what a relaunch with the fix of one cause (parameter cause) did to its failure", gone=0.3, same=0.55, moved=0.1)

VARIABLES: tuple[Variable, ...] = (
    ERROR,
    MEMORY_OF,
    SHAPE,
    REGISTERED,
    KIN,
    SENT,
    DELIVERY,
    MANIFEST,
    PROVENANCE,
    COMMAND,
    INSTALL,
    FILE,
    PORT,
    CREDENTIALS,
    ENVIRONMENT,
    MODEL,
    ACCELERATOR,
    LIMITS,
    KERNEL,
    SPACE,
    WEIGHTS,
    COMPANION,
    TOPIC,
    PHASE,
    EXIT,
    SUPERVISOR,
    RELAUNCH,
)

BY_NAME: MappingProxyType[str, Variable] = MappingProxyType({variable.name: variable for variable in VARIABLES})
