"""``${…}``: the parameter that is named there, and the operator behind its name."""

import re
from typing import Protocol

from probes.launches.shell.editing import edited
from probes.launches.shell.fields import Part, joined
from probes.launches.shell.parameters import Parameters

_PARAMETER = re.compile(r"(#|!)?([A-Za-z_]\w*|\d+|[@*#?$!-])(?:\[([^\]]*)\])?(.*)\Z", re.DOTALL | re.ASCII)


class Operands(Protocol):
    """Expands what stands behind an operator."""

    def value(self, raw: str) -> str:
        """One text, never split: a pattern, an index."""

    def alternative(self, raw: str, quoted: bool) -> list[Part]:
        """The word that takes the parameter's place."""


def braced(inner: str, literal: str, quoted: bool, parameters: Parameters, operands: Operands) -> list[Part]:
    """The parts of ``${inner}``, which stands as `literal` in the text."""
    match = _PARAMETER.match(inner)
    if not match:
        return _left_alone(literal, f"{literal[:80]} was not understood", parameters)
    prefix, name, index, operation = match[1], match[2], match[3], match[4]
    if index in ("@", "*") or (name in "@*" and not prefix):
        return _elements(match, literal, quoted, parameters, operands)
    if index is not None:
        value = parameters.element(name, operands.value(index))
    elif prefix == "!":
        target = parameters.maybe(name)
        value = parameters.maybe(target) if target else None
    else:
        value = parameters.maybe(name)
    if prefix == "#":
        return [Part(str(len(value or "")), quoted=quoted)]
    if not operation:
        return parameters.part(parameters.value(name) if value is None else value, quoted)
    colon = operation.startswith(":") and operation[1:2] in "-=+?" and len(operation) > 1
    operator = operation[1:] if colon else operation
    if operator[0] in "-=+?":
        set_ = value if value or not colon else None
        return _chosen(name, set_, operator, quoted, parameters, operands)
    text = parameters.value(name) if value is None else value
    changed = edited(text, operation, operands.value)
    if changed is None:
        parameters.scope.doubt(f"{literal[:80]} was not computed", parameters.source)
        changed = text
    return parameters.part(changed, quoted)


def _left_alone(literal: str, doubt: str, parameters: Parameters) -> list[Part]:
    parameters.scope.doubt(doubt, parameters.source)
    return [Part(literal, quoted=True)]


def _elements(match: re.Match[str], literal: str, quoted: bool, parameters: Parameters, operands: Operands) -> list[Part]:
    """``${name[@]}`` and ``${@}`` with what stands around the name."""
    prefix, name, index, operation = match[1], match[2], match[3], match[4]
    items = parameters.array(name)
    if prefix == "#":
        return [Part(str(len(items)), quoted=quoted)]
    if prefix == "!" or (operation and not operation.startswith((":-", ":+", "-", "+"))):
        parameters.scope.doubt(f"{literal[:80]} was not followed", parameters.source)
    elif operation and (bool(items) == ("+" in operation[:2])):
        return operands.alternative(operation.lstrip(":")[1:], quoted)
    elif operation and not items:
        return parameters.part("", quoted)
    return parameters.items(items, quoted, star=index == "*" or name == "*")


def _chosen(name: str, value: str | None, operation: str, quoted: bool, parameters: Parameters, operands: Operands) -> list[Part]:
    """``-default``, ``=default``, ``+alternative`` or ``?message``; `value` is None where the parameter counts as not set."""
    operator, operand = operation[0], operation[1:]
    if operator == "+":
        return parameters.part("", quoted) if value is None else operands.alternative(operand, quoted)
    if value is not None:
        return parameters.part(value, quoted)
    if operator == "?":
        parameters.scope.problem(f"{name} must be set: {operand or 'the shell stops here'}", parameters.source)
        parameters.vanished.append(name)
        return parameters.part("", quoted)
    parts = operands.alternative(operand, quoted)
    if operator == "=":
        parameters.scope.set(name, joined(parts))
    return parts
