"""What an expression of a submission does: its names and calls, and what it scales by."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..vocabulary import words

__all__ = [
    "at_once", "called", "calls", "computes", "name_of", "of_self", "says_scale", "scales",
    "scaling", "slice_ends", "span",
]  # fmt: skip

_SCALE_WORDS = {
    "scale", "scaling", "scaled", "factor", "norm", "temperature", "temp", "root", "sqrt", "denom",
    "denominator", "divisor", "inv", "rsqrt", "tau",
}  # fmt: skip
_SCALING_CALLS = {"div", "mul", "div_", "mul_", "true_divide", "multiply", "divide", "baddbmm"}


def calls(node: ast.AST | None) -> list[ast.Call]:
    """All calls in an expression or statement."""
    return [n for n in ast.walk(node) if isinstance(n, ast.Call)] if node is not None else []


def called(call: ast.Call) -> str:
    """The name that a call calls, of an attribute the last part."""
    return name_of(call.func)


def name_of(node: ast.AST) -> str:
    """The name that a node is, of an attribute the last part; empty where it is none."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def of_self(node: ast.expr) -> bool:
    """Whether it is an attribute of `self`."""
    return isinstance(node, ast.Attribute) and name_of(node.value) == "self"


def span(node: ast.stmt | ast.expr) -> range:
    """The lines on which a piece of code stands."""
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def at_once(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Each two of the names that are bound to one value together, as in `k = v = made`."""
    many = node.targets if isinstance(node, ast.Assign) else []
    return ((one, other) for one in many for other in many if one is not other)


def scaling(statement: ast.AST | None) -> Iterator[ast.expr]:
    """What a statement divides or multiplies by."""
    for node in ast.walk(statement) if statement is not None else ():
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Div, ast.Mult)):
            yield from (node.right, node.left)
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, (ast.Div, ast.Mult)):
            yield node.value
        elif isinstance(node, ast.Call):
            if called(node) in _SCALING_CALLS:
                yield from node.args
            for keyword in node.keywords:
                if keyword.arg in {"alpha", "scale", "scaling", "temperature"}:
                    yield keyword.value


def scales(value: ast.expr) -> bool:
    """Whether an expression scales by a number that it works out, or that is called a scale."""
    return computes(value, named=False) or any(map(says_scale, scaling(value)))


def computes(value: ast.expr, *, named: bool) -> bool:
    """Whether an expression works a scale out, and does not only name a size."""
    for node in ast.walk(value):
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Pow, ast.Div)):
            return True
        if isinstance(node, ast.Call) and any(w in called(node) for w in ("sqrt", "pow")):
            return True
        if named and isinstance(node, (ast.BinOp, ast.Constant, ast.Call)):
            return True
    return False


def says_scale(node: ast.expr) -> bool:
    """Whether a name says that it is a scale."""
    return bool(set(words(name_of(node))) & _SCALE_WORDS)


def slice_ends(node: ast.AST) -> list[ast.expr]:
    """The ends of the slices that an entry is taken by, or that of one that is made by `slice`."""
    if isinstance(node, ast.Subscript):
        return [n.upper for n in ast.walk(node.slice) if isinstance(n, ast.Slice) and n.upper]
    if isinstance(node, ast.Call) and called(node) == "slice":
        return node.args[:2][-1:]
    return []
