"""What a name is given, and what becomes of it: in a loop, at its start, or halved."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TypeGuard

from .blocks import Function
from .expressions import called, name_of, paired

__all__ = ["BINDINGS", "returned"]

_MAXIMA = {"maximum", "max", "fmax", "amax"}
_ZEROS = {"zeros", "zeros_like", "new_zeros"}
_FULL = {"full", "full_like", "new_full"}
# What the number of heads is called.
_HEADS = re.compile(r"(?i)^(n(um)?_?)?h(eads?)?$|heads$")


def returned(value: ast.expr, functions: Sequence[Function]) -> int:
    """The line that makes what is given: of a call of one of the functions its last return.

    The call's result may have a name.
    """
    own = {getattr(one, "name", "") for one in functions}
    bound = (node for one in functions for node in ast.walk(one) if isinstance(node, ast.Assign))
    made = (
        node.value for node in bound
        if name_of(value) in {*map(name_of, node.targets)} - {""}
        and isinstance(node.value, ast.Call) and called(node.value) in own
    )  # fmt: skip
    given = next(made, value)
    name = called(given) if isinstance(given, ast.Call) else ""
    for function in functions:
        if name and getattr(function, "name", "") == name:
            many = (one for one in ast.walk(function) if isinstance(one, ast.Return) and one.value)
            last = max(many, key=lambda one: one.lineno, default=None)
            if last is not None:
                return _made(last, function)
    return value.lineno


def _made(last: ast.Return, function: Function) -> int:
    """Where a return's value was made, which may have a name."""
    made = (
        one.lineno for one in ast.walk(function)
        if isinstance(one, ast.Assign) and isinstance(last.value, ast.Name)
        and last.value.id in map(name_of, one.targets)
    )  # fmt: skip
    return max(made, default=last.lineno)


def _packed(functions: Sequence[Function]) -> Iterator[int]:
    """Where what is returned behind the first was put together, if it has a name."""
    for function in functions:
        nodes = [*ast.walk(function)]
        given = [one.value.elts[-1] for one in nodes
                 if isinstance(one, ast.Return) and isinstance(one.value, ast.Tuple)]  # fmt: skip
        names = {name_of(one) for one in given} - {""}
        yield from (
            one.lineno for one in nodes
            if isinstance(one, ast.Assign)
            and isinstance(one.value, (ast.Tuple, ast.List, ast.Dict))
            and names & {*map(name_of, one.targets)}
        )  # fmt: skip


def _unread(functions: Sequence[Function]) -> Iterator[int]:
    """Where a loop's call gives what no round reads, so that the last round's alone is handed on.

    The call takes something else along, for the next round.
    """
    for function in functions:
        for loop in (one for one in ast.walk(function) if isinstance(one, ast.For)):
            read = {*_names(loop, ast.Load)}
            later = {
                one.id for one in ast.walk(function)
                if _is(one, ast.Load) and one.lineno > (loop.end_lineno or 0)
            }  # fmt: skip
            for node in (one for row in loop.body for one in ast.walk(row)):
                if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                    made = {*_names(node.targets[0], ast.Store)}
                    if made & read and (made - read) & later:
                        yield node.lineno


def _from_zero(functions: Sequence[Function]) -> Iterator[int]:
    """Where what a maximum goes on from begins as zeros."""
    nodes = [node for function in functions for node in ast.walk(function)]
    # Python's own is of numbers, and most of these are sizes.
    maxima = (node for node in nodes if isinstance(node, ast.Call) and called(node) in _MAXIMA
              and not isinstance(node.func, ast.Name))  # fmt: skip
    kept = {
        name_of(one) for node in maxima
        for one in (*node.args, getattr(node.func, "value", node.func))
    } - {"", "torch"}  # fmt: skip
    for node in nodes:
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                for name, value in paired(target, node.value):
                    if name_of(name) in kept and _zero(value):
                        yield value.lineno


def _halved(functions: Sequence[Function]) -> Iterator[int]:
    """Where half of a number is taken whatever it is, which a condition halves as well.

    A number that was halved under its own name before is another one.
    """
    for function in functions:
        chosen = [one for one in ast.walk(function) if isinstance(one, (ast.If, ast.IfExp))]
        within = [node for one in chosen for node in ast.walk(one)]
        halves = {name for name in map(_half, within) if name}
        for node in function.body if isinstance(function, ast.FunctionDef) else ():
            name = _half(node.value) if isinstance(node, ast.Assign) else ""
            if isinstance(node, ast.Assign) and name in halves:
                before = (one for one in ast.walk(function)
                          if _is(one, ast.Store) and one.lineno < node.lineno)  # fmt: skip
                if all(one.id != name for one in before):
                    yield node.lineno


def _maps_first(functions: Sequence[Function]) -> Iterator[int]:
    """Where a shape has two maps before the heads: `(…, 2, heads, …)`."""
    for node in (node for function in functions for node in ast.walk(function)):
        many = node.args if isinstance(node, ast.Call) else getattr(node, "elts", [])
        if any(_is_two(one) and _HEADS.search(name_of(other)) for one, other in pairwise(many)):
            yield node.lineno  # type: ignore[attr-defined]


def _half(node: ast.AST) -> str:
    """The name that is halved, be it under its own name."""
    if isinstance(node, ast.AugAssign) and type(node.op) is ast.FloorDiv:
        return name_of(node.target) if _is_two(node.value) else ""
    if isinstance(node, ast.BinOp) and type(node.op) is ast.FloorDiv:
        return name_of(node.left) if _is_two(node.right) else ""
    return ""


def _is_two(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 2


def _zero(value: ast.expr) -> bool:
    """Whether it is 0, or a tensor of zeros."""
    if isinstance(value, ast.Call):
        filled = called(value) in _FULL and any(map(_zero, value.args[1:2]))
        return called(value) in _ZEROS or filled
    return isinstance(value, ast.Constant) and type(value.value) in {int, float} and not value.value


def _names(node: ast.AST, kind: type[ast.expr_context]) -> Iterator[str]:
    return (one.id for one in ast.walk(node) if _is(one, kind))


def _is(node: ast.AST, kind: type[ast.expr_context]) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, kind)


BINDINGS: dict[str, Callable[[Sequence[Function]], Iterator[int]]] = {
    "packed": _packed, "unread": _unread, "from zero": _from_zero, "halved": _halved,
    "maps first": _maps_first,
}  # fmt: skip
