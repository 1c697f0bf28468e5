"""Python's operators on known values."""

import ast
import posixpath
from typing import Any

from probes.launches.python.records import Unknown


def binary(operator: ast.operator, left: Any, right: Any) -> Any:
    """``left operator right``; raises `Unknown` for an operator that is not followed."""
    match operator:
        case ast.Add():
            return [*left, *right] if isinstance(left, list) else left + right
        case ast.Mod():
            return left % (tuple(right) if isinstance(right, list) else right)
        case ast.Mult() if isinstance(right, int) and right < 1000:
            return left * right
        case ast.Sub():
            return left - right
        case ast.Div():
            # Paths are texts here.
            return posixpath.join(left, right) if isinstance(left, str) else left / right
        case ast.BitOr():
            return left | right
    raise Unknown


def compare(operator: ast.cmpop, left: Any, right: Any) -> bool:
    """``left operator right`` for a comparison; raises `Unknown` for one that is not followed."""
    match operator:
        case ast.Eq() | ast.Is():
            return bool(left == right)
        case ast.NotEq() | ast.IsNot():
            return bool(left != right)
        case ast.In():
            return left in right
        case ast.NotIn():
            return left not in right
        case ast.Gt():
            return bool(left > right)
        case ast.Lt():
            return bool(left < right)
    raise Unknown
