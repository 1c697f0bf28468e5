"""Whether a shell text runs nothing but one simple command: what may be run through a shell with its program replaced."""

import re
import shlex
from functools import lru_cache

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

_HARMLESS = frozenset(
    {"program", "comment", "command", "variable_assignment", "variable_assignments", "declaration_command", "list", "&&", ";", "\n"}
)
_INSIDE = frozenset(
    {
        "command_substitution",
        "process_substitution",
        "file_redirect",
        "herestring_redirect",
        "heredoc_redirect",
        "redirected_statement",
        "subshell",
        "pipeline",
        "ERROR",
        "arithmetic_expansion",
        "function_definition",
        "&",
    }
)
SHELLS = frozenset({"bash", "sh", "dash", "zsh", "ksh"})
WRAPPERS = frozenset({"exec", "command", "env", "nohup", "nice", "setsid", "stdbuf", "time", "numactl", "taskset", "ionice"})
_ASSIGNMENT = re.compile(r"^[A-Za-z_]\w*=")
_SWITCHES = frozenset({"-a", "-e", "-u", "-x", "-o", "pipefail", "-eu", "-ex", "-eux", "-euo", "-exo"})


@lru_cache(maxsize=1)
def _parser() -> Parser:
    return Parser(Language(tree_sitter_bash.language()))


@lru_cache(maxsize=256)
def simple_command(text: str) -> tuple[str, ...] | None:
    """The words, as they stand there, of the only command that `text` runs, or None where it may run more than that.

    Allowed beside it are assignments, exports and ``set`` lines. A text with substitutions, redirections, pipes, background jobs or functions,
    and one that does not parse, gives None.
    """
    root = _parser().parse(text.encode()).root_node
    nodes = _all(root)
    if root.has_error or any(node.type in _INSIDE or node.type == "||" for node in nodes):
        return None
    found = [node for node in _statements(root) if node.type == "command" and not _prepares(node)]
    if len(found) != 1 or any(node.type not in _HARMLESS for node in _statements(root)):
        return None
    return tuple(child.text.decode() for child in found[0].children if child.text and child.type != "variable_assignment")


def runs_only(text: str, program: str) -> bool:
    """Whether the only command of `text` is `program` (one word or several), plainly or behind wrappers,
    or what a shell's ``-c`` runs."""
    words = simple_command(text)
    if words is None:
        return False
    wanted = tuple(program.split()) or ("",)
    while words and words[: len(wanted)] != wanted:
        if words[0].rpartition("/")[2] in SHELLS:
            inner = _unquoted(words[2]) if words[1:2] == ("-c",) and len(words) == 3 else ""
            return bool(inner) and runs_only(inner, program)
        if words[0].rpartition("/")[2] not in WRAPPERS:
            return False
        words = words[1:]
        while words and (words[0].startswith("-") or _ASSIGNMENT.match(words[0]) or words[0].isdigit()):
            words = words[1:]
    return bool(words)


def _unquoted(word: str) -> str:
    """The text of a quoted word, its variables left as they stand; empty where it is not one word."""
    try:
        words = shlex.split(word)
    except ValueError:
        return ""
    return words[0] if len(words) == 1 else ""


def _all(node: Node) -> list[Node]:
    found = [node]
    for child in node.children:
        found += _all(child)
    return found


def _statements(node: Node) -> list[Node]:
    """The statements of the text, those in lists unpacked."""
    found: list[Node] = []
    for child in node.children:
        found += _statements(child) if child.type == "list" else [child]
    return found


def _prepares(node: Node) -> bool:
    """Whether a command only sets options of its own shell."""
    words = [child.text.decode() for child in node.children if child.text]
    return words[:1] == ["set"] and all(word in _SWITCHES for word in words[1:])
