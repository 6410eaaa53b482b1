"""Sums in the sizes of a kata, as `kata.toml` writes them: `G * R`, `max(Q, K) * D`, `Q <= K`.

Names, whole numbers, + - * // %, comparisons, and, or, not, min and max; nothing else.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

__all__ = ["NotASum", "names", "worth"]

_OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.USub: operator.neg,
    ast.Not: operator.not_,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {"min": min, "max": max}


class NotASum(ValueError):
    """What is written is none of the sums that may be written, or names what is no size."""


def worth(text: str | int, sizes: Mapping[str, Any]) -> Any:
    """Work a sum out. Raise NotASum where it cannot be."""
    try:
        return _worth(_parsed(str(text)), sizes)
    except (SyntaxError, ZeroDivisionError, TypeError) as fault:
        raise NotASum(f"`{text}`: {fault}") from None


def names(text: str | int) -> set[str]:
    """Return the names that a sum speaks of. Raise NotASum where it is none."""
    try:
        return set(_names(str(text)))
    except SyntaxError as fault:
        raise NotASum(f"`{text}`: {fault}") from None


@cache
def _names(text: str) -> frozenset[str]:
    found = (node.id for node in ast.walk(_parsed(text)) if isinstance(node, ast.Name))
    return frozenset(found).difference(_FUNCTIONS)


@cache
def _parsed(text: str) -> ast.expr:
    """Parse a sum, once: a contract has a few, and they are worked out at every size."""
    return ast.parse(text, mode="eval").body


def _worth(node: ast.expr, sizes: Mapping[str, Any]) -> Any:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, bool)):
        return node.value
    if isinstance(node, ast.Name):
        if node.id not in sizes:
            raise NotASum(f"`{node.id}` is no size")
        return sizes[node.id]
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_worth(node.left, sizes), _worth(node.right, sizes))
    if isinstance(node, ast.UnaryOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_worth(node.operand, sizes))
    if isinstance(node, ast.BoolOp):
        parts = (_worth(value, sizes) for value in node.values)
        return all(parts) if isinstance(node.op, ast.And) else any(parts)
    if isinstance(node, ast.Compare) and all(type(op) in _OPERATORS for op in node.ops):
        sides = [_worth(side, sizes) for side in (node.left, *node.comparators)]
        pairs = zip(node.ops, sides, sides[1:], strict=False)
        return all(_OPERATORS[type(op)](left, right) for op, left, right in pairs)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        function = _FUNCTIONS.get(node.func.id)
        if function is not None and node.args:
            return function(*(_worth(arg, sizes) for arg in node.args))
    raise NotASum(f"`{ast.unparse(node)}` is no sum")
