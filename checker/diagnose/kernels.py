"""Statements of kernels that may hold a mistake: loads and stores, their pointers, and the grid."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from .blocks import Function
from .expressions import name_of

__all__ = ["in_kernel", "with_called"]

# What is said of a call behind its name: `load other=0`, `load with mask`, `load pointer`.
_OTHER, _WITH, _WITHOUT, _POINTER = "other=0", "with ", "without ", "pointer"
_CALLS = ("load", "store")
# Where what a load or a store may be told stands without its name.
_PLACES = {"load": ("pointer", "mask", "other"), "store": ("pointer", "value", "mask")}


def with_called(functions: Sequence[Function], tree: ast.AST) -> list[Function]:
    """Those functions, and what their kernels call: unless it loads, that leaves no trace."""
    defined = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef) and _compiled(one)]
    found = [*functions]
    # What is found calls others in its turn.
    for one in found:
        if _compiled(one):
            told = {node.id for node in ast.walk(one) if isinstance(node, ast.Name)}
            found += [other for other in defined if other.name in told and other not in found]
    return found


def in_kernel(functions: Sequence[Function], said: str) -> Iterator[int] | None:
    """Yield the lines of a statement of a kernel's; None where it is no such statement.

    said: `grid`, where a launch's was worked out; `load` or `store` with `pointer` behind it,
    where its addresses were; with `with mask`, `without mask` and the like, one that is told so or
    is not; with `other=0`, one whose other lanes are 0; `exp of names`, that of a difference of two
    names; `maximum start`, where what a maximum goes on from began; `for`, a loop, and `for end`,
    where its end was worked out; `compared lanes`, where lanes of two axes are compared;
    `sets scale`, where what is called a scale gets its number.
    """
    if said in _FOLLOWED:
        return (line for one in functions for line in _FOLLOWED[said](one))
    call, _, more = said.partition(" ")
    if call not in _CALLS or not more:
        return None
    return _accesses(functions, call, more)


def _compiled(function: Function) -> bool:
    """Whether a function has `@triton.jit`, with brackets or without."""
    said = [] if isinstance(function, ast.Lambda) else function.decorator_list
    return "jit" in {name_of(one.func if isinstance(one, ast.Call) else one) for one in said}


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


def _grids(function: Function) -> Iterator[int]:
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Subscript):
            yield _made(function, node.func.slice)


def _exps_of_names(function: Function) -> Iterator[int]:
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and name_of(node.func) in {"exp", "exp2"} and node.args:
            given = node.args[0]
            if isinstance(given, ast.BinOp) and isinstance(given.op, ast.Sub):
                sides = (given.left, given.right)
                yield from [node.lineno] * all(isinstance(one, ast.Name) for one in sides)


def _maximum_starts(function: Function) -> Iterator[int]:
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and name_of(node.func) == "maximum":
            names = {one.id for one in node.args if isinstance(one, ast.Name)}
            set_before = (line for line, name in _set(function) if name in names)
            yield min((line for line in set_before if line < node.lineno), default=node.lineno)


def _loops(function: Function) -> Iterator[int]:
    yield from (one.lineno for one in ast.walk(function) if isinstance(one, (ast.For, ast.While)))


def _ends(function: Function) -> Iterator[int]:
    for node in ast.walk(function):
        if isinstance(node, ast.For) and isinstance(node.iter, ast.Call) and node.iter.args:
            end = node.iter.args[:2][-1]
            # Of two branches, one may take another name's number as it is.
            worked_out = (
                one.lineno for one in ast.walk(function)
                if isinstance(one, ast.Assign) and isinstance(end, ast.Name)
                and end.id in map(name_of, one.targets) and one.lineno < end.lineno
                and not isinstance(one.value, (ast.Name, ast.Constant))
            )  # fmt: skip
            yield max(worked_out, default=_made(function, end))


def _compared(function: Function) -> Iterator[int]:
    for node in ast.walk(function):
        if isinstance(node, ast.Compare) and all(map(_spread, (node.left, *node.comparators))):
            yield node.lineno


def _spread(side: ast.expr) -> bool:
    """Whether lanes are laid along one axis of two, as by `[:, None]`."""
    return any(
        isinstance(one, ast.Constant) and one.value is None
        for part in ast.walk(side) if isinstance(part, ast.Subscript)
        for one in ast.walk(part.slice)
    )  # fmt: skip


def _scales(function: Function) -> Iterator[int]:
    yield from (line for line, name in _set(function) if "scale" in name.lower())


def _set(function: Function) -> Iterator[tuple[int, str]]:
    """The names that are given something, with the lines."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            yield from ((node.lineno, name_of(one)) for one in node.targets)
        elif isinstance(node, ast.AugAssign):
            yield node.lineno, name_of(node.target)


def _made(function: Function, given: ast.expr) -> int:
    """The line on which what a name holds was last worked out before it, or its own."""
    if not isinstance(given, ast.Name):
        return given.lineno
    lines = [line for line, name in _set(function) if name == given.id and line < given.lineno]
    return max(lines, default=given.lineno)


_FOLLOWED = {
    "grid": _grids, "exp of names": _exps_of_names, "maximum start": _maximum_starts,
    "for": _loops, "for end": _ends, "compared lanes": _compared, "sets scale": _scales,
}  # fmt: skip
