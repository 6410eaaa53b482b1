"""Which names of a function stand for numbers, and not for tensors."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..expressions import name_of

__all__ = ["counts"]

# Calls that give a number, or several.
_COUNTING = {"range", "len", "int", "divmod", "min", "max"}
# Calls that take numbers alone, and several of them; and such that take one or more.
_SHAPING, _RANGING = {"view", "reshape", "expand", "repeat"}, {"range", "arange"}


def counts(function: ast.FunctionDef) -> set[str]:
    """The names of a function's numbers: sizes, places in a range, and what is made of these.

    Read from what is written alone, so that a name of which nothing is known is none of them.
    """
    sure = function.name == "__init__"
    named = [one for one in ast.walk(function.args) if isinstance(one, ast.arg)]
    found = {one.arg for one in named if sure or name_of(one.annotation or one) == "int"}
    found |= _numbered(function.args)
    found |= {name for node in ast.walk(function) for name in _told(node)} & {
        one.arg for one in named
    }
    for node in ast.walk(function):
        for target, value in _assigned(node):
            if _counts_as(value, found):
                found.update(n.id for n in ast.walk(target) if isinstance(n, ast.Name))
    return found


def _told(node: ast.AST) -> Iterator[str]:
    """The names that stand by themselves, or in a product, where numbers alone are told."""
    if not isinstance(node, ast.Call):
        return
    name, shaping = name_of(node.func), len(node.args) > 2
    for one in node.args if name in _RANGING or (name in _SHAPING and shaping) else ():
        sides = [one.left, one.right] if isinstance(one, ast.BinOp) else [one]
        yield from (side.id for side in sides if isinstance(side, ast.Name))


def _numbered(arguments: ast.arguments) -> set[str]:
    """The arguments that are numbers by default."""
    last = [*arguments.posonlyargs, *arguments.args][-len(arguments.defaults) or None :]
    pairs = [*zip(last, arguments.defaults, strict=False),
             *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=False)]  # fmt: skip
    return {one.arg for one, usual in pairs
            if isinstance(usual, ast.Constant) and type(usual.value) in {int, float}}  # fmt: skip


def _assigned(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    if isinstance(node, ast.Assign):
        yield from ((target, node.value) for target in node.targets)
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        yield node.target, node.value
    elif isinstance(node, (ast.For, ast.comprehension)):
        match node.target, node.iter:
            case ast.Tuple(elts=[place, _]), ast.Call(func=ast.Name(id="enumerate")):
                yield place, ast.Constant(0)
            case target, many:
                yield target, many


def _counts_as(value: ast.expr, counts: set[str]) -> bool:
    """Whether an expression is a number, or several."""
    match value:
        case ast.Constant(value=held):
            return type(held) in {int, float}
        case ast.Name():
            return value.id in counts
        case ast.Attribute():
            return value.attr == "shape"
        case ast.Subscript():
            return _counts_as(value.value, counts)
        case ast.BinOp():
            both = [_counts_as(one, counts) for one in (value.left, value.right)]
            return all(both) or (any(both) and isinstance(value.op, ast.FloorDiv))
        case ast.IfExp():
            return _counts_as(value.body, counts)
        case ast.Tuple():
            return all(_counts_as(one, counts) for one in value.elts)
        case ast.Call():
            plain = isinstance(value.func, ast.Name) and value.func.id in _COUNTING
            return plain or name_of(value.func) == "size"
        case _:
            return False
