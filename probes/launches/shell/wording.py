"""From the nodes of a shell text to expanded words."""

import re
from collections.abc import Sequence

from tree_sitter import Node

from probes.launches.shell import grammar
from probes.launches.shell.expansion import Expander, Substitute
from probes.launches.shell.records import Gone, Token
from probes.launches.shell.scope import Item, Scope


class Wording:
    """Expands the words of one text; `substitute` predicts the output of a ``$(command)``."""

    def __init__(self, substitute: Substitute) -> None:
        self.substitute = substitute
        self.groups = 0

    def expander(self, scope: Scope, source: str = "") -> Expander:
        """What expands words in `scope`; `source` is where they stand."""
        return Expander(scope, self.substitute, source)

    def value(self, raw: str, scope: Scope) -> str:
        """A raw word as one text."""
        return self.expander(scope).value(raw)

    def tokens(self, text: grammar.Text, nodes: Sequence[Node], scope: Scope) -> list[Token]:
        """The expanded words of nodes."""
        return self.expand(raw_words(text, nodes), scope)[0]

    def expand(self, raws: list[grammar.Raw], scope: Scope) -> tuple[list[Token], list[Gone]]:
        """The expanded words, and those that expanded to nothing."""
        tokens: list[Token] = []
        gone: list[Gone] = []
        for raw in raws:
            self.groups += 1
            source = scope.at(raw.line)
            made = self.expander(scope, source).word(raw.text)
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


def raw_words(text: grammar.Text, nodes: Sequence[Node]) -> list[grammar.Raw]:
    """The raw words of nodes, comments left out."""
    words = [child for child in nodes if child.type != "comment"]
    return [raw for command in grammar.raw_words(text, words) for raw in command]
