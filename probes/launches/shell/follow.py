"""Following a shell text: which programs it starts, with which words and environment.

Commands are assumed to succeed; a condition that cannot be decided is followed with a doubt. Nothing runs.
"""

import re

from tree_sitter import Node

from probes.launches.shell import conditions, control, grammar
from probes.launches.shell.assignments import assign, declare
from probes.launches.shell.commands import follow_command
from probes.launches.shell.outputs import output_of
from probes.launches.shell.records import Ran
from probes.launches.shell.redirections import follow_redirected
from probes.launches.shell.scope import Scope
from probes.launches.shell.walk import Place
from probes.launches.shell.wording import Wording, raw_words

_MOST_COMMANDS = 3000
_DEPTH = 60
_MOST_TEXT = 2_000_000
_MOST_SUBSTITUTED = 100_000
_PIPE = re.compile(r"(?<!\|)\|(?!\|)")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")


class Follower:
    """Follows one shell text in a `Scope` and collects the programs that it starts."""

    def __init__(self, scope: Scope, depth: int = 0) -> None:
        self.scope, self.depth = scope, depth
        self.words = Wording(self._substitute)
        self.runs: list[Ran] = []
        self.stopped = self.returning = False
        self.calls = 0
        self.evaluating = ""

    def follow(self, text: str) -> list[Ran]:
        """Follow `text`; the programs found are returned, what it sets stays in the scope."""
        self.follow_text(text, self.scope, conditional=False)
        return self.runs

    def follow_text(self, text: str, scope: Scope, *, conditional: bool) -> None:
        """Follow another text in `scope`."""
        if self.depth > _DEPTH:
            scope.doubt("nested too deeply to follow")
            return
        if len(text) > _MOST_TEXT:
            scope.doubt(f"a text of {len(text)} characters is too long to follow", scope.origin)
            return
        self.depth += 1
        parsed = grammar.parse(text)
        for line, column, what in parsed.errors:
            scope.doubt(f"does not parse as {scope.shell}: line {line}, column {column}, at {what}", scope.at(line))
        self.block(Place(parsed, scope, conditional), parsed.root)
        self.depth -= 1

    def block(self, place: Place, node: Node) -> bool | None:
        """Follow the statements below a node; the status of the last."""
        status: bool | None = True
        for child in node.named_children:
            if child.type == "comment":
                continue
            if self.stopped or len(self.runs) > _MOST_COMMANDS:
                break
            status = self.statement(place, child)
        return status

    def statement(self, place: Place, node: Node, stdin: str | None = None) -> bool | None:
        """Follow one statement; its status, None where that is not known."""
        self.depth += 1
        try:
            if self.depth > _DEPTH * 4:
                place.scope.doubt("nested too deeply to follow")
                return None
            return self._statement(place, node, stdin)
        finally:
            self.depth -= 1

    def _statement(self, place: Place, node: Node, stdin: str | None) -> bool | None:
        match node.type:
            case "command":
                return follow_command(self, place, node, stdin, [])
            case "redirected_statement":
                return follow_redirected(self, place, node)
            case "list":
                return control.follow_list(self, place, node)
            case "subshell":
                return self.block(place.apart(), node)
            case "negated_command":
                status = self.block(place, node)
                return None if status is None else not status
            case "test_command":
                return conditions.test(self.words, place, node)
            case "compound_statement" | "do_group" | "program" | "else_clause" | "ERROR" | "c_style_for_statement":
                return self.block(place, node)
            case "pipeline":
                for child in node.named_children:
                    self.statement(place.apart(), child)
            case "if_statement":
                control.follow_if(self, place, node)
            case "for_statement":
                control.follow_for(self, place, node)
            case "while_statement":
                control.follow_while(self, place, node)
            case "case_statement":
                control.follow_case(self, place, node)
            case _:
                self._definition(place, node)
        return True

    def _definition(self, place: Place, node: Node) -> None:
        """What starts nothing: assignments, declarations, functions."""
        match node.type:
            case "variable_assignment":
                assign(self.words, place, node)
            case "variable_assignments":
                for child in node.named_children:
                    assign(self.words, place, child)
            case "declaration_command":
                declare(self.words, place, node)
            case "unset_command":
                for raw in raw_words(place.text, node.named_children):
                    place.scope.forget(raw.text)
            case "function_definition":
                name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
                if name is not None and body is not None:
                    place.scope.functions[place.slice(name)] = (place.text, body)

    def _substitute(self, text: str, scope: Scope) -> str | None:
        """The output of ``$(text)`` where it follows from what is known."""
        if text.lstrip().startswith("<"):
            return scope.read(self.words.value(text.lstrip()[1:].strip(), scope))
        if len(text) > _MOST_SUBSTITUTED or self.depth > _DEPTH:
            return None
        if grammar.parse(text).root.type != "program" or _PIPE.search(_QUOTED.sub("", text)):
            return None
        made: list[str] = []
        for ran in Follower(scope.copy(), self.depth + 5).follow(text):
            output = output_of(ran.argv, ran.scope, ran.stdin)
            if output is None:
                return None
            made.append(output)
        return "".join(made)
