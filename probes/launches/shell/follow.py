"""Following a shell text: which programs it starts, with which words and environment.

Commands are assumed to succeed; a condition that cannot be decided is followed with a doubt. Nothing runs.
"""

import fnmatch
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from tree_sitter import Node

from probes.launches.shell import grammar
from probes.launches.shell.arithmetic import arithmetic
from probes.launches.shell.expansion import Expander
from probes.launches.shell.outputs import output_of
from probes.launches.shell.scope import Item, Scope

_MOST_COMMANDS = 3000
_MOST_ROUNDS = 60
_DEPTH = 60
_MOST_WORDS = 10_000
_MOST_TEXT = 2_000_000
_ACTIVATE = re.compile(r"(.*)/bin/activate(?:\.\w+)?$")


@dataclass
class Token:
    """A word on its way. `kept` is its text with quotes kept, `group` tells the fields of one raw word, `how` what made several of it."""

    text: str
    raw: str = ""
    source: str = ""
    kept: str = ""
    group: int = -1
    how: str = ""
    layer: int = -1
    vanished: tuple[str, ...] = ()


@dataclass
class Ran:
    """A program that a shell text starts. `gone` are raw words that expanded to nothing: (index, raw, names)."""

    tokens: list[Token]
    scope: Scope
    gone: list[tuple[int, str, tuple[str, ...]]] = field(default_factory=list)
    assignments: tuple[str, ...] = ()
    executed: bool = False
    conditional: bool = False
    stdin: str | None = None
    evaluated: str = ""
    sole: bool = False

    @property
    def argv(self) -> tuple[str, ...]:
        """Its words."""
        return tuple(token.text for token in self.tokens)


class Follower:
    """Follows one shell text in a `Scope` and collects the programs that it starts."""

    def __init__(self, scope: Scope, depth: int = 0) -> None:
        self.scope, self.depth = scope, depth
        self.runs: list[Ran] = []
        self.stopped = False
        self.groups = 0
        self.calls = 0
        self.evaluating = ""

    def follow(self, text: str) -> list[Ran]:
        """Follow `text`; the programs found are returned, what it sets stays in the scope."""
        self._text(text, self.scope, conditional=False)
        return self.runs

    def _text(self, text: str, scope: Scope, *, conditional: bool) -> None:
        if self.depth > _DEPTH:
            scope.doubt("nested too deeply to follow")
            return
        if len(text) > _MOST_TEXT:
            scope.doubt(f"a text of {len(text)} characters is too long to follow", scope.origin)
            return
        self.depth += 1
        parsed = grammar.parse(text)
        for line, column, what in parsed.errors:
            where = f"{scope.file}:{line}" if scope.file else scope.origin
            scope.doubt(f"does not parse as {scope.shell}: line {line}, column {column}, at {what}", where)
        self._block(parsed, parsed.root, scope, conditional)
        self.depth -= 1

    # statements

    def _block(self, text: grammar.Text, node: Node, scope: Scope, conditional: bool) -> bool | None:
        status: bool | None = True
        for child in node.named_children:
            if self.stopped or len(self.runs) > _MOST_COMMANDS:
                break
            status = self._statement(text, child, scope, conditional)
        return status

    def _statement(self, text: grammar.Text, node: Node, scope: Scope, conditional: bool, stdin: str | None = None) -> bool | None:
        self.depth += 1
        if self.depth > _DEPTH * 4:
            self.depth -= 1
            scope.doubt("nested too deeply to follow")
            return None
        try:
            return self._dispatch(text, node, scope, conditional, stdin)
        finally:
            self.depth -= 1

    def _dispatch(self, text: grammar.Text, node: Node, scope: Scope, conditional: bool, stdin: str | None) -> bool | None:
        match node.type:
            case "command":
                return self._command(text, node, scope, conditional, stdin, [])
            case "redirected_statement":
                return self._redirected(text, node, scope, conditional)
            case "variable_assignment":
                self._assign(text, node, scope, export=False)
            case "variable_assignments":
                for child in node.named_children:
                    self._assign(text, child, scope, export=False)
            case "declaration_command":
                self._declare(text, node, scope)
            case "unset_command":
                for raw in self._raws(text, node, list(node.named_children)):
                    scope.forget(raw.text)
            case "list":
                return self._list(text, node, scope, conditional)
            case "pipeline":
                for child in node.named_children:
                    self._statement(text, child, scope.copy(), conditional)
            case "subshell":
                return self._block(text, node, scope.copy(), conditional)
            case "negated_command":
                status = self._block(text, node, scope, conditional)
                return None if status is None else not status
            case "test_command":
                return self._test(text, node, scope)
            case "if_statement":
                self._if(text, node, scope, conditional)
            case "for_statement":
                self._for(text, node, scope, conditional)
            case "while_statement":
                self._while(text, node, scope, conditional)
            case "case_statement":
                self._case(text, node, scope, conditional)
            case "function_definition":
                self._define(text, node, scope)
            case "compound_statement" | "do_group" | "program" | "else_clause" | "ERROR" | "c_style_for_statement":
                return self._block(text, node, scope, conditional)
        return True

    def _list(self, text: grammar.Text, node: Node, scope: Scope, conditional: bool) -> bool | None:
        named = node.named_children
        operator = next((child.type for child in node.children if child.type in ("&&", "||")), "&&")
        status = self._statement(text, named[0], scope, conditional)
        if self.stopped or len(named) < 2:
            return status
        if status is None:
            self._statement(text, named[-1], scope, conditional=True)
            return None
        if status is (operator == "&&"):
            return self._statement(text, named[-1], scope, conditional)
        return status

    def _if(self, text: grammar.Text, node: Node, scope: Scope, conditional: bool) -> None:
        """An ``if``: the branch that is decided, or every branch (with a doubt about each) where none is."""
        condition: bool | None = True
        heading, decided = True, False
        maybe = conditional
        for child in node.children:
            if child.type == "then":
                heading = False
            elif child.type == "elif_clause":
                if not decided:
                    decided, maybe = self._elif(text, child, scope, maybe, condition)
            elif child.type == "else_clause":
                if not decided:
                    self._block(text, child, scope, maybe)
            elif child.is_named and heading:
                condition = self._statement(text, child, scope, conditional)
            elif child.is_named and condition is not False and not self.stopped:
                self._statement(text, child, scope, conditional or condition is None)
            if child.type == "then":
                decided = condition is True
                maybe = maybe or condition is None

    def _elif(self, text: grammar.Text, node: Node, scope: Scope, maybe: bool, before: bool | None) -> tuple[bool, bool]:
        condition: bool | None = True
        heading = True
        for child in node.children:
            if child.type == "then":
                heading = False
            elif child.is_named and heading:
                condition = self._statement(text, child, scope, maybe)
            elif child.is_named and condition is not False and not self.stopped:
                self._statement(text, child, scope, maybe or condition is None)
        return condition is True, maybe or condition is None or before is None

    def _for(self, text: grammar.Text, node: Node, scope: Scope, conditional: bool) -> None:
        body = node.child_by_field_name("body")
        variable = node.child_by_field_name("variable")
        if body is None or variable is None:
            return
        nodes = node.children_by_field_name("value")
        tokens, _ = self._expand(self._raws(text, node, nodes), scope)
        values = [token.text for token in tokens] if nodes else list(scope.positional)
        for value in values[:_MOST_ROUNDS]:
            scope.set(text.slice(variable), value)
            self._statement(text, body, scope, conditional)

    def _while(self, text: grammar.Text, node: Node, scope: Scope, conditional: bool) -> None:
        """A loop: while its condition is known to hold and it starts nothing; else once."""
        condition, body = node.child_by_field_name("condition"), node.child_by_field_name("body")
        if condition is None or body is None:
            return
        until = node.children[0].type == "until"
        for _ in range(_MOST_ROUNDS):
            before = len(self.runs)
            status = self._statement(text, condition, scope, conditional)
            if status is not None and status is until:
                return
            self._statement(text, body, scope, conditional or status is None)
            if status is None or self.stopped or len(self.runs) > before:
                return

    def _case(self, text: grammar.Text, node: Node, scope: Scope, conditional: bool) -> None:
        value_node = node.child_by_field_name("value")
        value = Expander(scope, self._substitute).value(text.slice(value_node)) if value_node else ""
        for item in node.named_children:
            if item.type != "case_item":
                continue
            patterns = item.children_by_field_name("value")
            expander = Expander(scope, self._substitute)
            if any(fnmatch.fnmatchcase(value, expander.value(text.slice(pattern))) for pattern in patterns):
                for child in item.named_children:
                    if child not in patterns and not self.stopped:
                        self._statement(text, child, scope, conditional)
                return

    def _define(self, text: grammar.Text, node: Node, scope: Scope) -> None:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is not None and body is not None:
            scope.functions[text.slice(name)] = (text, body)

    # conditions

    def _test(self, text: grammar.Text, node: Node, scope: Scope) -> bool | None:
        inner = node.named_children
        return self._condition(text, inner[0], scope) if inner else None

    def _condition(self, text: grammar.Text, node: Node, scope: Scope) -> bool | None:
        value = Expander(scope, self._substitute).value
        children = node.named_children
        if node.type == "parenthesized_expression" and children:
            return self._condition(text, children[0], scope)
        if node.type == "unary_expression" and children:
            operator = text.slice(node.children[0])
            if operator == "!":
                inner = self._condition(text, children[-1], scope)
                return None if inner is None else not inner
            operand = value(text.slice(children[-1]))
            if operator in ("-n", "-z"):
                return bool(operand) is (operator == "-n")
            if operator in ("-f", "-e", "-r", "-s") and scope.path(operand) in {**scope.written, **scope.files}:
                return (scope.written.get(scope.path(operand)) or scope.files.get(scope.path(operand))) is not None
            return None
        if node.type == "binary_expression" and len(node.children) == 3:
            return self._compared(text, node, scope)
        return bool(value(text.slice(node))) if node.type in ("string", "raw_string", "word", "simple_expansion", "expansion") else None

    def _compared(self, text: grammar.Text, node: Node, scope: Scope) -> bool | None:
        value = Expander(scope, self._substitute).value
        left, operator, right = node.children[0], text.slice(node.children[1]), node.children[2]
        if operator in ("&&", "||", "-a", "-o"):
            sides = (self._condition(text, left, scope), self._condition(text, right, scope))
            decisive = operator in ("||", "-o")
            if decisive in sides:
                return decisive
            return None if None in sides else not decisive
        first, second = value(text.slice(left)), value(text.slice(right))
        if operator in ("=", "==", "!="):
            same = fnmatch.fnmatchcase(first, second) if text.slice(node.parent or node).startswith("[[") else first == second
            return same is (operator != "!=")
        low, high = arithmetic(first or "0"), arithmetic(second or "0")
        if operator in ("-eq", "-ne", "-gt", "-ge", "-lt", "-le") and low is not None and high is not None:
            results = {"-eq": low == high, "-ne": low != high, "-gt": low > high, "-ge": low >= high, "-lt": low < high, "-le": low <= high}
            return results[operator]
        return None

    # assignments

    def _assign(self, text: grammar.Text, node: Node, scope: Scope, *, export: bool) -> str:
        """Carry out one ``NAME=value``; returns it as ``NAME=value`` with the value expanded."""
        value_node = node.child_by_field_name("value")
        name_node = node.child_by_field_name("name")
        name = text.slice(name_node) if name_node is not None else ""
        appended = any(child.type == "+=" for child in node.children)
        if value_node is not None and value_node.type == "array":
            tokens, _ = self._expand(self._raws(text, value_node, value_node.named_children), scope)
            items: list[str] = [Item(token.text, token.raw, token.source) for token in tokens]
            old = scope.arrays.get(name, [scope.variables[name]] if name in scope.variables else []) if appended else []
            scope.arrays[name] = old + items
            scope.unknown.discard(name)
            return f"{name}=({' '.join(items)})"
        raws = grammar.raw_words(text, [value_node], grammar.line_end(text, node.end_byte)) if value_node is not None else []
        raw = raws[0][0] if raws and raws[0] else None
        source = self._source(scope, raw.line if raw else node.start_point[0] + 1)
        before = len(scope.doubts)
        value = Expander(scope, self._substitute, source).value(raw.text) if raw else ""
        if name_node is not None and name_node.type == "subscript":
            base = name.partition("[")[0]
            scope.arrays.setdefault(base, []).append(value)
            return f"{base}={value}"
        if appended and name in scope.arrays:
            scope.arrays[name][0:1] = [(scope.arrays[name] or [""])[0] + value]
        else:
            scope.set(name, (scope.variables.get(name, "") if appended else "") + value, export=export)
        if len(scope.doubts) > before and "$(" in value:
            scope.unknown.add(name)
        return f"{name}={value}"

    def _declare(self, text: grammar.Text, node: Node, scope: Scope) -> None:
        keyword = text.slice(node.children[0])
        words = [text.slice(child) for child in node.named_children if child.type == "word"]
        export = keyword == "export" or any(word.startswith("-") and "x" in word for word in words)
        for child in node.named_children:
            if child.type == "variable_assignment":
                self._assign(text, child, scope, export=export)
            elif child.type == "variable_name" and export:
                scope.export(text.slice(child))
            elif child.type in ("word", "concatenation", "string", "simple_expansion"):
                self._declared_word(text.slice(child), scope, export)

    def _declared_word(self, raw: str, scope: Scope, export: bool) -> None:
        for value in Expander(scope, self._substitute).word(raw).fields:
            name, equals, rest = value.partition("=")
            if equals and name.isidentifier():
                scope.set(name, rest, export=export)

    # commands

    def _source(self, scope: Scope, line: int) -> str:
        return f"{scope.file}:{line}" if scope.file else scope.origin

    @staticmethod
    def _raws(text: grammar.Text, node: Node, nodes: Sequence[Node]) -> list[grammar.Raw]:
        words = [child for child in nodes if child.type != "comment"]
        return [raw for command in grammar.raw_words(text, words) for raw in command]

    def _expand(self, raws: list[grammar.Raw], scope: Scope) -> tuple[list[Token], list[tuple[int, str, tuple[str, ...]]]]:
        tokens: list[Token] = []
        gone: list[tuple[int, str, tuple[str, ...]]] = []
        for raw in raws:
            self.groups += 1
            source = self._source(scope, raw.line)
            made = Expander(scope, self._substitute, source).word(raw.text)
            names = tuple(made.vanished)
            if made.pattern and not re.search(r"[{\[]", raw.text):
                scope.problem(f"{raw.text} is a pattern: files that match it would take its place", source)
            if names and not made.fields:
                gone.append((len(tokens), raw.text, names))
            for one in made.fields:
                if isinstance(one, Item) and one.raw:
                    self.groups += 1
                    tokens.append(Token(str(one), one.raw, one.source, one, self.groups, "items"))
                else:
                    tokens.append(Token(one, raw.text, source, made.kept, self.groups, made.how, vanished=names))
        return tokens, gone

    def _redirected(self, text: grammar.Text, node: Node, scope: Scope, conditional: bool) -> bool | None:
        body = node.child_by_field_name("body") or (node.named_children[0] if node.named_children else None)
        redirects = [child for child in node.named_children if child.type in ("file_redirect", "heredoc_redirect", "herestring_redirect")]
        stdin: str | None = None
        extra: list[Node] = []
        target = ""
        piped: list[Node] = []
        for redirect in redirects:
            if redirect.type == "heredoc_redirect":
                stdin = self._heredoc(text, redirect, scope)
                piped += [child for child in redirect.named_children if child.type == "pipeline"]
                inner = [child for child in redirect.named_children if child.type == "file_redirect"]
                target = target or next((self._target(text, child, scope) for child in inner), "")
                extra += list(redirect.children_by_field_name("argument"))
            elif redirect.type == "file_redirect":
                target = target or self._target(text, redirect, scope)
                extra += redirect.children_by_field_name("destination")[1:]
        if body is None or body in redirects:
            return True
        if body.type != "command":
            return self._statement(text, body, scope, conditional, stdin)
        before = len(self.runs)
        status = self._command(text, body, scope, conditional, stdin, extra)
        for ran in self.runs[before:]:
            output = output_of(ran.argv, ran.scope, ran.stdin)
            if target and output is not None:
                scope.written[scope.path(target)] = output
        for pipeline in piped:
            output = output_of(self.runs[before].argv, scope, stdin) if len(self.runs) > before else None
            for child in pipeline.named_children:
                self._statement(text, child, scope.copy(), conditional, output)
                output = None
        return status

    def _target(self, text: grammar.Text, node: Node, scope: Scope) -> str:
        """The file that a ``>`` writes to; empty for other redirections."""
        if not any(child.type in (">", ">|") for child in node.children) or node.child_by_field_name("descriptor") is not None:
            return ""
        destination = node.child_by_field_name("destination")
        return Expander(scope, self._substitute).value(text.slice(destination)) if destination is not None else ""

    def _heredoc(self, text: grammar.Text, node: Node, scope: Scope) -> str:
        start = next((text.slice(child) for child in node.named_children if child.type == "heredoc_start"), "")
        body = next((child for child in node.named_children if child.type == "heredoc_body"), None)
        raw = text.slice(body) if body is not None else ""
        if any(child.type == "<<-" for child in node.children):
            raw = re.sub(r"(?m)^\t+", "", raw)
        if re.search(r"[\"'\\]", start):
            return raw
        return Expander(scope, self._substitute, self._source(scope, node.start_point[0] + 1)).inside(raw)

    def _command(self, text: grammar.Text, node: Node, scope: Scope, conditional: bool, stdin: str | None, extra: list[Node]) -> bool | None:
        words = [child for child in node.named_children if grammar.is_word(child)]
        capped = len(words) > _MOST_WORDS
        if capped:
            scope.doubt(f"a command of {len(words)} words: only the first {_MOST_WORDS} were followed", scope.origin)
            words = words[:_MOST_WORDS]
        for child in node.named_children:
            if child.type == "herestring_redirect" and child.named_children:
                stdin = Expander(scope, self._substitute).value(text.slice(child.named_children[-1])) + "\n"
        inner = scope.copy()
        assigned = [self._assign(text, child, inner, export=True) for child in node.named_children if child.type == "variable_assignment"]
        commands = grammar.raw_words(text, words + extra, None if extra or capped else grammar.line_end(text, node.end_byte))
        if not commands:
            for child in node.named_children:
                if child.type == "variable_assignment":
                    self._assign(text, child, scope, export=False)
            return True
        # The words are expanded before the assignments in front of them count.
        status: bool | None = True
        for number, raws in enumerate(commands):
            tokens, gone = self._expand(raws, scope)
            if not tokens:
                continue
            chosen = inner if assigned and number == 0 else scope
            ran = Ran(tokens, chosen, gone, tuple(assigned) if number == 0 else (), False, conditional, stdin, self.evaluating)
            status = self._started(ran, scope)
            if self.stopped:
                break
        return status

    def _started(self, ran: Ran, scope: Scope) -> bool | None:
        """A command with its words expanded: a builtin changes the scope, a function is followed, anything else is a program."""
        name, *arguments = ran.argv
        if name in scope.functions and self.calls < 40:
            return self._call(name, arguments, scope, ran.conditional)
        builtin = getattr(self, f"_do_{_BUILTINS[name]}", None) if name in _BUILTINS else None
        if builtin is not None and (name != "exec" or arguments):
            status = builtin(arguments, scope, ran)
            return status if isinstance(status, bool) else True
        ran.scope = ran.scope.copy()
        self.runs.append(ran)
        return True

    def _call(self, name: str, arguments: list[str], scope: Scope, conditional: bool) -> bool | None:
        text, body = scope.functions[name]
        saved, scope.positional = scope.positional, tuple(arguments)
        self.calls += 1
        status = self._statement(text, body, scope, conditional)
        self.calls -= 1
        scope.positional = saved
        return status

    def _substitute(self, text: str, scope: Scope) -> str | None:
        """The output of ``$(text)`` where it follows from what is known."""
        if text.lstrip().startswith("<"):
            path = Expander(scope, self._substitute).value(text.lstrip()[1:].strip())
            return scope.read(path)
        if len(text) > 100_000 or self.depth > _DEPTH:
            return None
        sub = scope.copy()
        follower = Follower(sub, self.depth + 5)
        if grammar.parse(text).root.type != "program" or re.search(r"(?<!\|)\|(?!\|)", re.sub(r"'[^']*'|\"[^\"]*\"", "", text)):
            return None
        made: list[str] = []
        for ran in follower.follow(text):
            output = output_of(ran.argv, ran.scope, ran.stdin)
            if output is None:
                return None
            made.append(output)
        return "".join(made)

    # builtins

    def _do_nothing(self, arguments: list[str], scope: Scope, ran: Ran) -> bool:
        return ran.argv[0] != "false"

    def _do_cd(self, arguments: list[str], scope: Scope, ran: Ran) -> None:
        folder = next((one for one in arguments if not one.startswith("-")), scope.look_up("HOME") or "~")
        scope.cwd = scope.path(folder).rstrip("/") or "/"

    def _do_export(self, arguments: list[str], scope: Scope, ran: Ran) -> None:
        for argument in arguments:
            name, equals, value = argument.partition("=")
            if equals:
                scope.set(name, value, export=ran.argv[0] == "export")
            elif ran.argv[0] == "export":
                scope.export(name)

    def _do_unset(self, arguments: list[str], scope: Scope, ran: Ran) -> None:
        for name in arguments:
            if not name.startswith("-"):
                scope.forget(name)

    def _do_set(self, arguments: list[str], scope: Scope, ran: Ran) -> None:
        for number, argument in enumerate(arguments):
            if argument == "--":
                scope.positional = tuple(arguments[number + 1 :])
                return
            named = argument in ("-o", "+o") and arguments[number + 1 : number + 2] == ["allexport"]
            if named or re.match(r"[-+][A-Za-z]*a", argument):
                scope.export_all = argument[0] == "-"

    def _do_shift(self, arguments: list[str], scope: Scope, ran: Ran) -> None:
        count = int(arguments[0]) if arguments and arguments[0].isdigit() else 1
        scope.positional = scope.positional[count:]

    def _do_read(self, arguments: list[str], scope: Scope, ran: Ran) -> None:
        for name in arguments:
            if name.isidentifier():
                scope.unknown.add(name)

    def _do_exit(self, arguments: list[str], scope: Scope, ran: Ran) -> None:
        if not ran.conditional and (ran.argv[0] == "exit" or not self.calls):
            self.stopped = True

    def _do_exec(self, arguments: list[str], scope: Scope, ran: Ran) -> None:
        ran.executed, ran.scope = True, ran.scope.copy()
        self.runs.append(ran)
        self.stopped = self.stopped or not ran.conditional

    def _do_eval(self, arguments: list[str], scope: Scope, ran: Ran) -> None:
        saved, self.evaluating = self.evaluating, " ".join(arguments)
        origin, scope.origin, file, scope.file = scope.origin, ran.tokens[0].source or scope.origin, scope.file, ""
        self._text(self.evaluating, scope, conditional=ran.conditional)
        self.evaluating, scope.origin, scope.file = saved, origin, file

    def _do_source(self, arguments: list[str], scope: Scope, ran: Ran) -> None:
        if not arguments:
            return
        if match := _ACTIVATE.match(arguments[0]):
            root = scope.absolute(match[1])
            scope.set("VIRTUAL_ENV", root, export=True)
            scope.set("PATH", f"{root}/bin:{scope.variables.get('PATH', '$PATH')}", export=True)
            scope.forget("PYTHONHOME")
            return
        path = scope.path(arguments[0])
        text = scope.read(arguments[0])
        if text is None:
            if path in scope.files and not ran.conditional:
                scope.doubt(f"{arguments[0]} is read by the script and could not be read", ran.tokens[0].source)
            return
        saved = scope.file, scope.positional, self.stopped
        scope.file = path
        scope.positional = tuple(arguments[1:]) or scope.positional
        self._text(text, scope, conditional=ran.conditional)
        scope.file, scope.positional, self.stopped = saved[0], saved[1], self.stopped

    def _do_alias(self, arguments: list[str], scope: Scope, ran: Ran) -> None:
        """``alias x=y`` counts in interactive shells only."""


_BUILTINS = {
    **dict.fromkeys((":", "true", "false", "wait", "trap", "ulimit", "umask", "shopt", "set_color", "hash", "return_"), "nothing"),
    **dict.fromkeys(("cd", "pushd"), "cd"),
    **dict.fromkeys(("export", "declare", "local", "readonly", "typeset"), "export"),
    "unset": "unset",
    "set": "set",
    "shift": "shift",
    **dict.fromkeys(("read", "mapfile", "readarray", "getopts"), "read"),
    **dict.fromkeys(("exit", "return"), "exit"),
    "exec": "exec",
    "eval": "eval",
    **dict.fromkeys(("source", "."), "source"),
    "alias": "alias",
}
