"""What a loop does: adds to what it has as it is, changes another's entry, counts its places."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from .blocks import Function
from .expressions import name_of

__all__ = [
    "Loop", "accumulated", "aliased", "counted", "early", "extent", "late", "loops_in", "over",
    "stored", "whole_again", "window_bounded", "window_tested",
]  # fmt: skip

# A loop, as a statement or within an expression.
Loop = ast.For | ast.While | ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp

# Calls that hold a number below another.
_LEAST = {"min", "minimum", "clamp", "clip", "clamp_max"}
# Calls that change a list, a set or a tensor in place.
_CHANGING = {"add", "append", "extend", "update", "insert", "fill_", "logical_or_", "bitwise_or_"}

# What the beams that others came from are called.
_PARENTS = re.compile(r"parent|back|point|prev|src|origin|from")


def loops_in(tree: ast.AST) -> Iterator[Loop]:
    """The loops of a file, but for those over what is listed where they stand."""
    found = (node for node in ast.walk(tree) if isinstance(node, Loop))
    return (loop for loop in found if not isinstance(over(loop), (ast.Tuple, ast.List)))


def over(loop: Loop) -> ast.expr | None:
    """What a loop goes through; None where it goes on while something holds."""
    if isinstance(loop, ast.While):
        return None
    return loop.iter if isinstance(loop, ast.For) else loop.generators[0].iter


def extent(through: ast.expr | None) -> tuple[ast.expr | None, bool]:
    """What says how often a loop over something runs, and whether that is a range's end."""
    if not isinstance(through, ast.Call):
        return through, False
    name = name_of(through.func)
    if name == "range" and through.args:
        return through.args[:2][-1], True
    if name in {"items", "keys", "values"} and isinstance(through.func, ast.Attribute):
        return through.func.value, False
    return through, False


def accumulated(functions: Sequence[Function]) -> Iterator[int]:
    """Where a loop adds to what it has gathered, and multiplies that by nothing.

    What `reduce` is given is a loop's body as well.
    """
    for loop in (*_loops(functions), *_folding(functions)):
        nodes = [*ast.walk(loop)]
        scaled = {own for node in nodes for own in [_scaled(node)] if own}
        for node in nodes:
            own, more = _added(node)
            if own and own not in scaled and not isinstance(more, (ast.Constant, type(None))):
                yield node.lineno  # type: ignore[attr-defined]


def aliased(functions: Sequence[Function]) -> Iterator[int]:
    """Where a loop gives an entry another name or place, under which it is changed then."""
    for loop in _loops(functions):
        nodes = [*ast.walk(loop)]
        changed = {own for node in nodes for own in [_changed(node)] if own}
        for node in nodes:
            if not isinstance(node, ast.Assign) or not any(map(_entry, _choices(node.value))):
                continue
            if {ast.unparse(target) for target in node.targets} & changed:
                yield node.lineno


def counted(functions: Sequence[Function]) -> Iterator[int]:
    """Where a loop counts places."""
    for loop in _loops(functions):
        for node in ast.walk(loop):
            if isinstance(node, ast.Call) and name_of(node.func) == "arange":
                yield node.lineno


def whole_again(functions: Sequence[Function]) -> Iterator[int]:
    """Where a loop gives what it calls an argument of the function with another name's value."""
    for function in functions:
        given = {one.arg for one in function.args.args}
        for loop in _loops([function]):
            nodes = [*ast.walk(loop)]
            fed = {
                name_of(one.args[0]) for one in nodes
                if isinstance(one, ast.Call) and one.args and name_of(one.func) in given
            } - {""}  # fmt: skip
            for node in nodes:
                if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
                    yield from [node.lineno] * bool(fed & {*map(name_of, node.targets)})


def late(functions: Sequence[Function]) -> Iterator[int]:
    """Where a loop makes a function that reads the loop's variable when it is called."""
    for node in (one for function in functions for one in ast.walk(function)):
        if isinstance(node, ast.For):
            yield from _reading(node.body, {*stored(node.target)})
        elif isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)):
            bound = {name for each in node.generators for name in stored(each.target)}
            yield from _reading([node], bound)


def early(functions: Sequence[Function]) -> Iterator[int]:
    """Where a loop takes the parents of a step that lies beside the one whose entry it takes."""
    for loop in _loops(functions):
        entries = [node for node in ast.walk(loop) if isinstance(node, ast.Subscript)]
        own = {ast.unparse(one.slice) for one in entries}
        for one in entries:
            beside, more = getattr(one.slice, "left", None), getattr(one.slice, "right", None)
            is_beside = isinstance(more, ast.Constant) and ast.unparse(beside or one) in own
            if is_beside and _PARENTS.search(name_of(one.value).lower()):
                yield one.lineno


def _reading(nodes: Sequence[ast.AST], names: set[str]) -> Iterator[int]:
    """The functions in some nodes that read one of these names, which they do not bind."""
    for one in (inner for node in nodes for inner in ast.walk(node)):
        if isinstance(one, (ast.Lambda, ast.FunctionDef)):
            body = one.body if isinstance(one.body, list) else [one.body]
            arguments = (*one.args.args, *one.args.kwonlyargs)
            own = {each.arg for each in arguments}.union(*map(stored, body))
            read = {each.id for part in body for each in ast.walk(part)
                    if isinstance(each, ast.Name)}  # fmt: skip
            if names & read - own:
                yield one.lineno


def stored(node: ast.AST) -> set[str]:
    """The names that are bound within a node."""
    return {
        one.id for one in ast.walk(node)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    }  # fmt: skip


def window_tested(functions: Sequence[Function]) -> Iterator[int]:
    """Where a branch is chosen by the window's size."""
    for function in functions:
        for node in ast.walk(function):
            if isinstance(node, (ast.If, ast.IfExp)):
                names = (n.id for n in ast.walk(node.test) if isinstance(n, ast.Name))
                if any("win" in name.lower() for name in names):
                    yield node.test.lineno


def window_bounded(functions: Sequence[Function]) -> Iterator[int]:
    """Where the window is held below a difference, as `min(window, length - 1)` does."""
    for function in functions:
        for node in ast.walk(function):
            if not isinstance(node, (ast.IfExp, ast.Call)):
                continue
            if isinstance(node, ast.Call) and name_of(node.func) not in _LEAST:
                continue
            names = (one.id for one in ast.walk(node) if isinstance(one, ast.Name))
            sums = (one.op for one in ast.walk(node) if isinstance(one, ast.BinOp))
            less = any(isinstance(one, ast.Sub) for one in sums)
            if less and any("win" in name.lower() for name in names):
                yield node.lineno


def _loops(functions: Sequence[Function]) -> Iterator[ast.For | ast.While]:
    for function in functions:
        yield from (n for n in ast.walk(function) if isinstance(n, (ast.For, ast.While)))


def _folding(functions: Sequence[Function]) -> Iterator[Function]:
    """The functions that a `reduce` calls in turn: what they go on with they take apart."""
    calls = (n for one in functions for n in ast.walk(one) if isinstance(n, ast.Call))
    if any(name_of(one.func) == "reduce" for one in calls):
        for function in functions:
            given = {each.arg for each in function.args.args}
            apart = (n for n in ast.walk(function) if isinstance(n, ast.Assign))
            if any(isinstance(n.targets[0], ast.Tuple) and name_of(n.value) in given
                   for n in apart):  # fmt: skip
                yield function


def _added(node: ast.AST) -> tuple[str, ast.expr | None]:
    """The name to which a statement adds something, and what; "" where it does not."""
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
        return name_of(node.target), node.value
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp):
        sides = (node.value.left, node.value.right)
        own = name_of(node.targets[0])
        for side, other in (sides, sides[::-1]):
            if isinstance(node.value.op, ast.Add) and isinstance(side, ast.Name) and side.id == own:
                return own, other
    return "", None


def _scaled(node: ast.AST) -> str:
    """The name that a statement multiplies in place, or by itself."""
    if isinstance(node, ast.AugAssign) and isinstance(node.op, (ast.Mult, ast.Div)):
        return name_of(node.target)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return name_of(node.func.value) if node.func.attr in {"mul_", "div_"} else ""
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp):
        own = name_of(node.targets[0])
        names = {one.id for one in ast.walk(node.value) if isinstance(one, ast.Name)}
        return own if isinstance(node.value.op, ast.Mult) and own in names else ""
    return ""


def _changed(node: ast.AST) -> str:
    """What a statement changes an entry of, or changes in place, as it is written."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        return ast.unparse(node.value)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return ast.unparse(node.func.value) if node.func.attr in _CHANGING else ""
    return ""


def _choices(value: ast.expr) -> tuple[ast.expr, ...]:
    return (value.body, value.orelse) if isinstance(value, ast.IfExp) else (value,)


def _entry(value: ast.expr) -> bool:
    """Whether an expression is an entry of something, as it lies there: no slice of it."""
    return isinstance(value, ast.Subscript) and not isinstance(value.slice, (ast.Slice, ast.Tuple))
