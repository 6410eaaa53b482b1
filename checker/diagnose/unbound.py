"""A name of a function's that has no value yet: where alone it is set, and why that did not run."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..judge.source import Source
from ..judge.written import Function, function_at
from ..process.answers import Raised
from ..report.message import Message, say

__all__ = ["about_unbound", "changed_in_place"]

_UNBOUND = re.compile(
    r"cannot access local variable '(\w+)' where|local variable '(\w+)' referenced before"
)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
# What may leave a name without a value though the line that sets it ran.
_ELSEWHERE = (ast.Try, ast.Delete, ast.ExceptHandler, ast.Match)
# What changes a list and gives None; a tensor has none of these.
_CHANGES = "append|extend|insert|reverse|clear|remove"


def about_unbound(fault: Raised, source: Source) -> Message | None:
    """Say where a name is set that was read without a value."""
    found, function = _UNBOUND.search(fault.message), function_at(source, fault.line)
    if found is None or function is None or fault.line is None:
        return None
    name = found[1] or found[2]
    if any(
        isinstance(node, _ELSEWHERE) or getattr(node, "name", "") == name
        for node in ast.walk(function)
    ):
        return None
    ways = [way for way in _ways(function, ()) if _sets(way[-1], name)]
    lines = sorted({getattr(way[-1], "lineno", 0) for way in ways})
    if len(lines) > 1 and lines[-1] < fault.line and all(map(_under_if, ways)):
        return say("crash-unbound-ifs", name=name)
    if len(lines) != 1:
        return None
    (line,), above = lines, ways[0][:-1]
    own = next(node for node in reversed(above) if isinstance(node, ast.stmt))
    same = own.lineno <= fault.line <= (own.end_lineno or own.lineno)
    if line >= fault.line or (same and not isinstance(own, _LOOPS)):
        return say("crash-unbound-later", name=name, line=line)
    if _under_if(ways[0]):
        return say("crash-unbound-if", name=name, line=line)
    looped = any(isinstance(node, _LOOPS) for node in above)
    return say("crash-unbound-loop", name=name, line=line) if looped else None


def changed_in_place(fault: Raised, source: Source) -> Message | None:
    """Say which method gives None, where a name was set to what it gives."""
    function = function_at(source, fault.line)
    if "NoneType" not in fault.message or function is None:
        return None
    own = {node.name for node in ast.walk(source.tree) if isinstance(node, Function)}
    read = set(re.findall(r"\w+", source.line(fault.line)))
    for node in ast.walk(function):
        if not (isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)):
            continue
        call, names = node.value.func, {ast.unparse(one) for one in node.targets}
        if (
            isinstance(call, ast.Attribute)
            and re.fullmatch(_CHANGES, call.attr)
            and call.attr not in own
            and ast.unparse(call.value) in names & read
        ):
            return say("crash-none-changed", call=call.attr, line=node.lineno)
    return None


def _ways(node: ast.AST, above: tuple[ast.AST, ...]) -> Iterator[tuple[ast.AST, ...]]:
    """Each node of a function with what it stands under, but for functions in it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (Function, ast.Lambda, ast.ClassDef, ast.comprehension)):
            way = (*above, child)
            yield way
            yield from _ways(child, way)


def _under_if(way: tuple[ast.AST, ...]) -> bool:
    return any(isinstance(node, ast.If) for node in way)


def _sets(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
