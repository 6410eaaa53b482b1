"""Statements of kernels that may hold a mistake: loads and stores, their pointers, and the grid."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from .blocks import Function
from .expressions import name_of

__all__ = ["in_kernel"]

# What is said of a call behind its name: `load other=0`, `load with mask`, `load pointer`.
_OTHER, _WITH, _WITHOUT, _POINTER = "other=0", "with ", "without ", "pointer"
_CALLS = ("load", "store")
# Where what a load or a store may be told stands without its name.
_PLACES = {"load": ("pointer", "mask", "other"), "store": ("pointer", "value", "mask")}


def in_kernel(functions: Sequence[Function], said: str) -> Iterator[int] | None:
    """Yield the lines of a statement of a kernel's; None where it is no such statement.

    said: `grid`, where a launch's was worked out; `load` or `store` with `pointer` behind it,
    where its addresses were; with `with mask`, `without mask` and the like, one that is told so or
    is not; with `other=0`, one whose other lanes are 0.
    """
    if said == "grid":
        return _grids(functions)
    call, _, more = said.partition(" ")
    if call not in _CALLS or not more:
        return None
    return _accesses(functions, call, more)


def _accesses(functions: Sequence[Function], call: str, more: str) -> Iterator[int]:
    for function in functions:
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and name_of(node.func) == call:
                told = dict(zip(_PLACES[call], node.args, strict=False))
                told |= {one.arg or "": one.value for one in node.keywords}
                if more == _POINTER:
                    yield from [_made(function, told["pointer"])] * ("pointer" in told)
                elif _fits(told, more):
                    yield node.lineno


def _fits(told: dict[str, ast.expr], more: str) -> bool:
    if more == _OTHER:
        other = told.get("other")
        return isinstance(other, ast.Constant) and other.value == 0
    if more.startswith(_WITHOUT):
        return more.removeprefix(_WITHOUT) not in told
    return more.removeprefix(_WITH) in told


def _grids(functions: Sequence[Function]) -> Iterator[int]:
    for function in functions:
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Subscript):
                yield _made(function, node.func.slice)


def _made(function: Function, given: ast.expr) -> int:
    """The line on which what a name holds was last worked out before it, or its own."""
    if not isinstance(given, ast.Name):
        return given.lineno
    lines = [
        node.lineno
        for node in ast.walk(function)
        if isinstance(node, (ast.Assign, ast.AugAssign))
        and given.id
        in map(name_of, node.targets if isinstance(node, ast.Assign) else [node.target])
        and node.lineno < given.lineno
    ]
    return max(lines, default=given.lineno)
