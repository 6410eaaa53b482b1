"""What operators ask of a node: whether it is a root, a fill, a triangle. Standard library only."""

from __future__ import annotations

import ast
import re

__all__ = [
    "called", "constant", "is_fill", "is_root", "is_scale", "is_zero", "keyword", "named", "number",
    "receiver",
]  # fmt: skip

_SCALES = re.compile(r"(^|_)(scale|scaling|norm|root|c|r)$")
_INFINITE = re.compile(r"(^|\.)(inf|NEG_INF|NEG|neg_inf|neg|low|lowest|min_dtype)$")
_PENALTY = 1e3


def named(node: ast.AST) -> str:
    """Return the last part of a name, empty for what is none."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def called(node: ast.AST) -> str:
    """Return the last part of the name that a call calls, empty for what is no call."""
    return named(node.func) if isinstance(node, ast.Call) else ""


def receiver(node: ast.AST) -> ast.expr | None:
    """Return the tensor that a call works on: a method's own, or a function's first argument."""
    if not isinstance(node, ast.Call):
        return None
    if isinstance(node.func, ast.Attribute) and named(node.func.value) not in {
        "torch", "F", "functional", "nn", "th", "t", "self", "T",
    }:  # fmt: skip
        return node.func.value
    return node.args[0] if node.args else None


def keyword(node: ast.Call, name: str) -> ast.expr | None:
    """Return what a call gives by keyword."""
    return next((each.value for each in node.keywords if each.arg == name), None)


def number(node: ast.AST | None) -> float | None:
    """Return the number that a node writes, with its sign."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = number(node.operand)
        return None if inner is None else -inner
    if isinstance(node, ast.Constant) and type(node.value) in {int, float}:
        return float(node.value)  # type: ignore[arg-type]
    return None


def constant(node: ast.AST, value: float) -> bool:
    """Whether a node writes this number."""
    return number(node) == value


def is_zero(node: ast.AST) -> bool:
    """Whether a node writes 0."""
    return constant(node, 0)


def is_root(node: ast.AST) -> bool:
    """Whether a node takes a square root."""
    if called(node) == "sqrt":
        return True
    power = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow)
    return power and number(node.right) in {0.5, -0.5, 0.25, -0.25}  # type: ignore[attr-defined]


def is_scale(node: ast.AST) -> bool:
    """Whether a node is what scores are scaled by."""
    if is_root(node) or _SCALES.search(named(node)):
        return True
    over = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)
    return over and constant(node.left, 1) and is_root(node.right)  # type: ignore[attr-defined]


def is_fill(node: ast.AST) -> bool:
    """Whether a node is what hides a score: minus infinity, or a number as low."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        low = number(node)
        if low is not None:
            return low <= -_PENALTY
        return bool(_INFINITE.search(named(node.operand))) or _said_infinite(node.operand)
    if isinstance(node, ast.Attribute) and node.attr == "min":
        return called(node.value) == "finfo"
    return _said_infinite(node) or named(node) in {"NEG", "NEG_INF", "neg", "low"}


def _said_infinite(node: ast.AST) -> bool:
    if called(node) != "float" or not isinstance(node, ast.Call) or not node.args:
        return False
    said = node.args[0]
    return isinstance(said, ast.Constant) and "inf" in str(said.value)
