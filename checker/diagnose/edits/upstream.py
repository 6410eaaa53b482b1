"""How far each line of a submission stands before another, as its values come there."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..expressions import name_of, span

__all__ = ["guards", "upstream"]

# What stands under a statement, and is none of its own.
_BODIES = {"body", "orelse", "finalbody", "handlers", "name"}
_FAR = 6
_BLOCKS = (ast.FunctionDef, ast.If, ast.For, ast.While, ast.With)


def upstream(tree: ast.AST, line: int) -> dict[int, int]:
    """Return the lines that have a part in what a line works out, each with its distance.

    One step leads from a statement to those that assign a name or an attribute that it reads, to
    the functions that it calls, to what decides whether it is made, and from a function that reads
    its arguments to who calls it.
    """
    parts, ending, called = [*_parts(tree)], _ending(tree), _called(tree)
    around = [one for one in parts if line in one.whole]
    least = min((len(one.whole) for one in around), default=0)
    front = [one for one in around if len(one.whole) == least]
    # What comes of it at once, or in the end, is less likely than what it comes of.
    fed = [one for one in parts for begun in front if _reads(one, begun)]
    given = [one for one in parts for begun in front if one.gives and one.within is begun.within]
    behind = {1: fed, 2: given}
    distance: dict[int, int] = {}
    reached = set[_Part]()
    for step in range(_FAR):
        front = [one for one in (*front, *behind.get(step, ())) if one not in reached]
        reached.update(front)
        distance |= {at: step for one in front for at in one.lines if at not in distance}
        left = [one for one in parts if one not in reached]
        front = _feeding(left, front, called) + _deciding(left, front, ending)
    return distance


def guards(tree: ast.AST, line: int) -> set[int]:
    """The lines that ask whether a line is reached: around it, or before it, to return there."""
    asked = (node for node in ast.walk(tree) if isinstance(node, ast.If))
    found = {one.lineno for one in asked if line in span(one) and line != one.lineno}
    for node in ast.walk(tree):
        rows: list[ast.stmt] = getattr(node, "body", []) if isinstance(node, _BLOCKS) else []
        place = next((n for n, one in enumerate(rows) if line in span(one)), 0)
        found |= {
            one.lineno for one in rows[:place]
            if isinstance(one, ast.If) and isinstance(one.body[-1], ast.Return)
        }  # fmt: skip
    return found


def _reads(one: _Part, other: _Part) -> bool:
    """Whether a statement reads what another one binds."""
    seen = other.within in {None, one.within}
    return seen and bool(one.reads & other.binds)


# Methods that are called by no name of their own: where an object is made, or is called.
_BY_CLASS = {"__init__", "__call__", "forward"}


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """A statement without its body.

    reads, binds: the names that it does; sets: the attributes, and names for the whole file.
    whole: its lines with those of its body. within: the function that it stands in. owner: what
    that is called by: a class where an object is made or called. gives: whether it gives something
    back.
    """

    whole: range
    lines: range
    reads: set[str]
    binds: set[str]
    sets: set[str]
    within: ast.FunctionDef | None
    owner: str
    gives: bool


def _parts(tree: ast.AST, within: ast.FunctionDef | None = None, kind: str = "") -> Iterator[_Part]:
    """The statements of a file. kind: the class that they stand in."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.stmt):
            yield _part(node, within, kind)
        # A function's defaults and decorators are its own.
        inner = node if isinstance(node, ast.FunctionDef) else within
        yield from _parts(node, inner, node.name if isinstance(node, ast.ClassDef) else kind)


def _part(statement: ast.stmt, within: ast.FunctionDef | None, kind: str) -> _Part:
    fields = (field for name, field in ast.iter_fields(statement) if name not in _BODIES)
    many = [one for field in fields for one in (field if isinstance(field, list) else [field])]
    said = [node for one in many if isinstance(one, ast.AST) for node in ast.walk(one)]
    stored = [node for node in said if isinstance(getattr(node, "ctx", None), ast.Store)]
    loaded = [node for node in said if isinstance(getattr(node, "ctx", None), ast.Load)]
    function = statement if isinstance(statement, ast.FunctionDef) else None
    inside = function or within
    name = inside.name if inside is not None else ""
    body = getattr(statement, "body", None)
    behind = body[0].lineno if isinstance(body, list) and body else span(statement).stop
    return _Part(
        whole=span(statement),
        lines=range(statement.lineno, max(behind, statement.lineno + 1)),
        reads={*map(name_of, loaded), *map(name_of, _changed(statement))},
        binds={_root(node) for node in stored if isinstance(node, (ast.Name, ast.Subscript))}
        | (_arguments(function) if function is not None else _lengthened(statement)),
        sets={name_of(node) for node in stored if isinstance(node, ast.Attribute) or not inside},
        within=inside,
        owner=kind if name in _BY_CLASS else name,
        gives=isinstance(statement, ast.Return),
    )


def _changed(statement: ast.stmt) -> list[ast.expr]:
    """What a statement takes to change it: `total += x`."""
    return [statement.target] if isinstance(statement, ast.AugAssign) else []


def _root(node: ast.AST) -> str:
    """The name of what a place is in: `out[:, n]`."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return name_of(node)


def _lengthened(statement: ast.stmt) -> set[str]:
    """What a statement calls a method of, and no more: `rows.append(x)`."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)))):
            return {name}
        case _:
            return set()


def _called(tree: ast.AST) -> dict[str, set[str]]:
    """What is called to have a function of the file run: its name, or that of an object.

    An object's is what it is bound to where its class makes it, be it in a list, or in a loop over
    these; a function's what it is handed on to, as to `vmap` or `partial`.
    """
    classes = {one.name for one in ast.walk(tree) if isinstance(one, ast.ClassDef)}
    functions = {one.name for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)}
    found = {name: {name} for name in functions | classes}
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=targets, value=value):
                calls = [one for one in ast.walk(value) if isinstance(one, ast.Call)]
                handed = {name_of(one) for call in calls for one in call.args}
                made = {*map(name_of, ast.walk(value))} & classes
                made |= {name for name in functions if found[name] & handed}
            case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
                read = {*map(name_of, ast.walk(value))}
                targets, made = [target], {name for name in classes if found[name] & read}
            case _:
                continue
        bound = {name_of(one) for target in targets for one in ast.walk(target)} - {"self", ""}
        for name in made:
            found[name] |= bound
    return found


def _feeding(parts: list[_Part], front: list[_Part], called: Mapping[str, set[str]]) -> list[_Part]:
    """Those of some statements that have a part in others directly. called: as `_called` has it."""
    reads = set[str]().union(*(one.reads for one in front))
    local: dict[int, set[str]] = {}
    callers: set[str] = set()
    for one in front:
        local.setdefault(id(one.within), set()).update(one.reads)
        if one.within is not None and one.reads & _arguments(one.within):
            callers |= called.get(one.owner, {one.owner})
    return [
        one for one in parts
        if one.binds & local.get(id(one.within), set())
        or one.sets & reads
        or one.reads & callers
        or called.get(one.owner, {one.owner}) & reads
    ]  # fmt: skip


def _deciding(parts: list[_Part], front: list[_Part], ending: Mapping[int, range]) -> list[_Part]:
    """Those in whose bodies others stand, and those that end the loops that they stand in.

    ending: the loop that each branch may end, by the branch's line.
    """
    lines = {one.lines.start for one in front}
    return [one for one in parts if lines & {*one.whole} - {*one.lines}
            or lines & {*ending.get(one.lines.start, ())}]  # fmt: skip


def _ending(tree: ast.AST) -> dict[int, range]:
    """The loops that branches may end, or turn round in, by the branches' lines."""
    found: dict[int, range] = {}
    for loop in (node for node in ast.walk(tree) if isinstance(node, ast.For | ast.While)):
        for node in ast.walk(loop):
            ends = (isinstance(one, ast.Break | ast.Continue) for one in ast.walk(node))
            if isinstance(node, ast.If) and any(ends):
                found[node.lineno] = span(loop)
    return found


def _arguments(function: ast.FunctionDef) -> set[str]:
    return {one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg)}
