"""What numbers are held against: a bound that is written there, 0, or one of many lengths."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from .blocks import Function
from .expressions import called, name_of, paired

__all__ = [
    "above_zero", "fixed", "inputs", "masked_in_part", "minus_one", "one_length", "one_more",
    "ordered",
]  # fmt: skip

_TARGETS = re.compile(r"(?i)targ|label(?!_?smooth)|^(y|t|flat|gold|tokens?|ids?)$")
_IGNORED = re.compile(r"(?i)ignor|pad")
_HIDING = {"masked_fill", "masked_fill_", "where"}
_LENGTHS = re.compile(r"(?i)len")
_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_ORDERING = {"gt", "lt", "ge", "le", "greater", "less", "greater_equal", "less_equal"}


def above_zero(functions: Sequence[Function]) -> Iterator[int]:
    """Where a number is asked to be above 0, or to be none that counts as false."""
    for node in _nodes(functions):
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            sign, number = type(node.ops[0]), _number(node.comparators[0])
            if (number == 0 and sign in {ast.Gt, ast.LtE}) or (number == 1 and sign is ast.GtE):
                yield node.lineno
        elif isinstance(node, (ast.While, ast.If, ast.IfExp)) and isinstance(node.test, ast.Name):
            yield node.test.lineno


def one_more(functions: Sequence[Function]) -> Iterator[int]:
    """Where 1 is added to what a division leaves, rounded down."""
    for node in (one for function in functions for one in ast.walk(function)):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            sides = (node.left, node.right)
            whole = (isinstance(one, ast.BinOp) and type(one.op) is ast.FloorDiv for one in sides)
            ones = (isinstance(one, ast.Constant) and one.value == 1 for one in sides)
            if any(whole) and any(ones):
                yield node.lineno


def masked_in_part(functions: Sequence[Function]) -> Iterator[int]:
    """Where scores are hidden on a condition that holds numbers against each other."""
    for node in (one for function in functions for one in ast.walk(function)):
        if isinstance(node, ast.If):
            ordered = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
            tests = [one for one in ast.walk(node.test) if isinstance(one, ast.Compare)]
            body = {name_of(one) for row in node.body for one in ast.walk(row)}
            if any(isinstance(one.ops[0], ordered) for one in tests) and body & _HIDING:
                yield node.test.lineno


def minus_one(functions: Sequence[Function]) -> Iterator[int]:
    """Where a number is asked whether it is −1, and not whether it is below 0."""
    for node in _nodes(functions):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
            sides = (node.left, *node.comparators)
            below = (one.operand for one in sides
                     if isinstance(one, ast.UnaryOp) and type(one.op) is ast.USub)  # fmt: skip
            if any(_number(one) == 1 for one in below):
                yield node.lineno


def fixed(functions: Sequence[Function]) -> Iterator[int]:
    """Where targets are held against a number that is written there."""
    for node in _nodes(functions):
        if isinstance(node, ast.Compare) and _TARGETS.search(name_of(node.left)):
            number = node.comparators[0]
            number = number.operand if isinstance(number, ast.UnaryOp) else number
            if type(_number(number)) is int:
                yield node.lineno


def inputs(functions: Sequence[Function]) -> Iterator[int]:
    """Where all tokens but the last, which are what a model is given, are held against padding."""
    nodes = [*_nodes(functions)]
    given = {
        name_of(target)
        for node in nodes if isinstance(node, ast.Assign)
        for one in node.targets
        for target, value in paired(one, node.value) if _but_last(value)
    } - {""}  # fmt: skip
    for node in nodes:
        left: ast.expr | None = None
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
            left = node.left
        elif isinstance(node, ast.Call) and called(node) in {"ne", "eq", "not_equal"}:
            of_torch = name_of(getattr(node.func, "value", node)) == "torch"
            left = node.args[0] if of_torch and node.args else getattr(node.func, "value", None)
        if left is not None and (_but_last(left) or name_of(left) in given):
            yield node.lineno  # type: ignore[attr-defined]


def _but_last(value: ast.expr) -> bool:
    """Whether an expression cuts off the last of what it has, as `tokens[:, :-1]` does."""
    cut = value.slice if isinstance(value, ast.Subscript) else None
    end = cut.elts[-1] if isinstance(cut, ast.Tuple) and cut.elts else cut
    upper = end.upper if isinstance(end, ast.Slice) and end.lower is None else None
    return isinstance(upper, ast.UnaryOp) and _number(upper.operand) == 1


def ordered(functions: Sequence[Function]) -> Iterator[int]:
    """Where something is asked to lie above or below the index that is ignored."""
    for node in _nodes(functions):
        sides: list[ast.expr] = []
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], _ORDERS):
            sides = [node.left, node.comparators[0]]
        elif isinstance(node, ast.Call) and called(node) in _ORDERING:
            owner = [node.func.value] if isinstance(node.func, ast.Attribute) else []
            sides = [*owner, *node.args]
        if any(_IGNORED.search(name_of(side)) for side in sides) and all(map(_none, sides)):
            yield node.lineno  # type: ignore[attr-defined]


def one_length(functions: Sequence[Function]) -> Iterator[int]:
    """Where one of several lengths is read, or the least of them."""
    for node in _nodes(functions):
        if isinstance(node, ast.Subscript) and _LENGTHS.search(name_of(node.value)):
            place = node.slice.operand if isinstance(node.slice, ast.UnaryOp) else node.slice
            if isinstance(place, ast.Slice):
                place = place.upper or place.lower or place
                place = place.operand if isinstance(place, ast.UnaryOp) else place
            if type(_number(place)) is int:
                yield node.lineno
        elif isinstance(node, ast.Call) and called(node) in {"min", "amin"}:
            owner = [node.func.value] if isinstance(node.func, ast.Attribute) else []
            if any(_LENGTHS.search(name_of(one)) for one in (*owner, *node.args[:1])):
                yield node.lineno


def _nodes(functions: Sequence[Function]) -> Iterator[ast.AST]:
    return (node for function in functions for node in ast.walk(function))


def _number(node: ast.expr) -> object:
    return node.value if isinstance(node, ast.Constant) else None


def _none(node: ast.expr) -> bool:
    """Whether an expression is no number that is written there."""
    return not isinstance(node, (ast.Constant, ast.UnaryOp))
