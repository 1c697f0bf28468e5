"""Integer arithmetic as a shell computes it: division cuts towards zero."""

import re


def arithmetic(text: str) -> int | None:
    """An integer expression of ``+ - * / %`` and brackets; None for anything else."""
    tokens = re.findall(r"\d+|[-+*/%()]", text)
    if "".join(tokens) != re.sub(r"\s+", "", text) or not tokens or len(tokens) > 200:
        return None
    try:
        value, end = _sum(tokens, 0)
    except (IndexError, ValueError, ZeroDivisionError, RecursionError):
        return None
    return value if end == len(tokens) else None


def _sum(tokens: list[str], at: int) -> tuple[int, int]:
    value, at = _product(tokens, at)
    while at < len(tokens) and tokens[at] in "+-":
        right, end = _product(tokens, at + 1)
        value, at = (value + right if tokens[at] == "+" else value - right), end
    return value, at


def _product(tokens: list[str], at: int) -> tuple[int, int]:
    value, at = _factor(tokens, at)
    while at < len(tokens) and tokens[at] in "*/%":
        operator = tokens[at]
        right, at = _factor(tokens, at + 1)
        quotient = int(value / right) if operator != "*" else 0
        value = value * right if operator == "*" else quotient if operator == "/" else value - quotient * right
    return value, at


def _factor(tokens: list[str], at: int) -> tuple[int, int]:
    if tokens[at] in "+-":
        value, at = _factor(tokens, at + 1)
        return (-value if tokens[at - 2] == "-" else value), at
    if tokens[at] == "(":
        value, at = _sum(tokens, at + 1)
        if tokens[at] != ")":
            raise ValueError(tokens[at])
        return value, at + 1
    return int(tokens[at]), at + 1
