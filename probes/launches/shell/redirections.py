"""Redirections: heredocs become the input of a command, what is known of its output becomes the text of the file it goes to."""

import re
from dataclasses import dataclass, field

from tree_sitter import Node

from probes.launches.shell.commands import follow_command
from probes.launches.shell.outputs import output_of
from probes.launches.shell.walk import Place, Walk
from probes.launches.shell.wording import Wording

_KINDS = ("file_redirect", "heredoc_redirect", "herestring_redirect")


@dataclass
class _Redirected:
    """`target` is the file written to, `extra` are words of the command that stand behind a redirection, `piped` pipelines behind a heredoc."""

    stdin: str | None = None
    target: str = ""
    extra: list[Node] = field(default_factory=list)
    piped: list[Node] = field(default_factory=list)


def follow_redirected(walk: Walk, place: Place, node: Node) -> bool | None:
    """A statement with its redirections; returns its status."""
    body = node.child_by_field_name("body") or (node.named_children[0] if node.named_children else None)
    found = _read(walk.words, place, node)
    if body is None or body.type in _KINDS:
        return True
    if body.type != "command":
        return walk.statement(place, body, found.stdin)
    before = len(walk.runs)
    status = follow_command(walk, place, body, found.stdin, found.extra)
    for ran in walk.runs[before:]:
        output = output_of(ran.argv, ran.scope, ran.stdin)
        if found.target and output is not None:
            place.scope.written[place.scope.path(found.target)] = output
    for pipeline in found.piped:
        output = output_of(walk.runs[before].argv, place.scope, found.stdin) if len(walk.runs) > before else None
        for child in pipeline.named_children:
            walk.statement(place.apart(), child, output)
            output = None
    return status


def _read(words: Wording, place: Place, node: Node) -> _Redirected:
    found = _Redirected()
    for redirect in node.named_children:
        if redirect.type == "heredoc_redirect":
            found.stdin = _heredoc(words, place, redirect)
            found.piped += [child for child in redirect.named_children if child.type == "pipeline"]
            inner = [child for child in redirect.named_children if child.type == "file_redirect"]
            found.target = found.target or next((_target(words, place, child) for child in inner), "")
            found.extra += redirect.children_by_field_name("argument")
        elif redirect.type == "file_redirect":
            found.target = found.target or _target(words, place, redirect)
            found.extra += redirect.children_by_field_name("destination")[1:]
    return found


def _target(words: Wording, place: Place, node: Node) -> str:
    """The file that a ``>`` writes to; empty for other redirections."""
    if not any(child.type in (">", ">|") for child in node.children) or node.child_by_field_name("descriptor") is not None:
        return ""
    destination = node.child_by_field_name("destination")
    return words.value(place.slice(destination), place.scope) if destination is not None else ""


def _heredoc(words: Wording, place: Place, node: Node) -> str:
    start = next((place.slice(child) for child in node.named_children if child.type == "heredoc_start"), "")
    body = next((child for child in node.named_children if child.type == "heredoc_body"), None)
    raw = place.slice(body) if body is not None else ""
    if any(child.type == "<<-" for child in node.children):
        raw = re.sub(r"(?m)^\t+", "", raw)
    if re.search(r"[\"'\\]", start):
        return raw
    return words.expander(place.scope, place.scope.at(node.start_point[0] + 1)).inside(raw)
