"""What is known of a serving framework, in the form that every part asks for it. One file a framework, one constant each."""

from collections.abc import Callable
from typing import Literal

from transcripts.records import Record


class Entry(Record, frozen=True, kw_only=True):
    """A serving entry point found in an argv: `start` is the index of the program word, `options` the index where its options begin.

    `command` is its canonical name (``vllm serve``, ``python -m vllm.entrypoints.openai.api_server``, ``litellm``).
    """

    framework: str
    command: str
    start: int
    options: int


class ParserRules(Record, frozen=True, kw_only=True):
    """How lenient the framework's parser is (`underscore`: ``--a_b`` for ``--a-b``), and how it fails."""

    kind: Literal["argparse", "click"]
    abbreviations: bool
    underscores: bool
    dotted_json: bool
    positionals: tuple[str, ...] = ()


class Ready(Record, frozen=True, kw_only=True):
    """What must be answered before a launch counts as up: one HTTP request, and what its answer must hold.

    `path` is asked on the launch's host and port; ``{model}`` and ``{key}`` in `body` and `headers` are filled in.
    """

    method: Literal["GET", "POST"]
    path: str
    body: str = ""
    names_model: bool = False


class Framework(Record, frozen=True, kw_only=True):
    """All that is known of one framework.

    `find_entry(argv)` recognises its serving command in an argv; `phases` maps a phase to literal texts that mark it as reached, in order;
    `full_help` / `plain_help` are the words that ask for help; `control_flag` is one that every release has (the positive control);
    `distributions` the names under which it is installed; `package` the import package whose source declares the flags;
    `api_class` is ``module:Class`` whose signature is the Python API of a launch; `required` flags or positionals of the serve command.
    """

    name: str
    program: str
    find_entry: Callable[[tuple[str, ...]], Entry | None]
    rules: ParserRules
    plain_help: tuple[str, ...]
    full_help: tuple[str, ...]
    control_flag: str
    distributions: tuple[str, ...]
    package: str
    api_class: str
    parser_script: str
    phases: tuple[tuple[str, tuple[str, ...]], ...]
    ready: tuple[Ready, ...]
    default_port: int
    port_flags: tuple[str, ...]
    host_flags: tuple[str, ...]
    key_flags: tuple[str, ...]
    key_variables: tuple[str, ...]
    environment_prefixes: tuple[str, ...]
    file_flags: tuple[str, ...]
    config_flag: str
    model_flags: tuple[str, ...]
    import_seconds: float = 8.0
