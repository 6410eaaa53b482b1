"""How far each line of a submission stands before another, as its values come there."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from .expressions import name_of, span

__all__ = ["upstream"]

# What stands under a statement, and is none of its own.
_BODIES = {"body", "orelse", "finalbody", "handlers", "name"}
_FAR = 6


def upstream(tree: ast.AST, line: int) -> dict[int, int]:
    """Return the lines that have a part in what a line works out, each with its distance.

    One step leads from a statement to those that assign a name or an attribute that it reads, to
    the functions that it calls, and from a function that reads its arguments to who calls it.
    """
    left = [*_parts(tree)]
    around = [one for one in left if line in one.whole]
    front = [min(around, key=lambda one: len(one.whole))] if around else []
    distance: dict[int, int] = {}
    fed = [one for one in left for begun in front if _reads(one, begun)]
    for step in range(_FAR):
        distance |= {at: step for one in front for at in one.lines if at not in distance}
        left = [one for one in left if one.lines.start not in distance]
        front = _feeding(left, front)
        # What comes of it at once is less likely than what it comes of.
        front += [one for one in fed if step == 1 and one not in front]
    return distance


def _reads(one: _Part, other: _Part) -> bool:
    """Whether a statement reads what another one binds."""
    seen = other.within in {None, one.within}
    return seen and bool(one.reads & other.binds)


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """A statement without its body. reads, binds, sets: the names, and attributes, that it does.

    whole: its lines with those of its body. within: the function that it stands in.
    """

    whole: range
    lines: range
    reads: set[str]
    binds: set[str]
    sets: set[str]
    within: ast.FunctionDef | None


def _parts(tree: ast.AST, within: ast.FunctionDef | None = None) -> Iterator[_Part]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.stmt):
            yield _part(node, within)
        # A function's defaults and decorators are its own.
        yield from _parts(node, node if isinstance(node, ast.FunctionDef) else within)


def _part(statement: ast.stmt, within: ast.FunctionDef | None) -> _Part:
    fields = (field for name, field in ast.iter_fields(statement) if name not in _BODIES)
    many = [one for field in fields for one in (field if isinstance(field, list) else [field])]
    said = [node for one in many if isinstance(one, ast.AST) for node in ast.walk(one)]
    stored = [node for node in said if isinstance(getattr(node, "ctx", None), ast.Store)]
    loaded = [node for node in said if isinstance(getattr(node, "ctx", None), ast.Load)]
    function = statement if isinstance(statement, ast.FunctionDef) else None
    body = getattr(statement, "body", None)
    behind = body[0].lineno if isinstance(body, list) and body else span(statement).stop
    return _Part(
        whole=span(statement),
        lines=range(statement.lineno, max(behind, statement.lineno + 1)),
        reads={*map(name_of, loaded)},
        binds={name_of(node) for node in stored if isinstance(node, ast.Name)}
        | (_arguments(function) if function is not None else set()),
        sets={name_of(node) for node in stored if isinstance(node, ast.Attribute)},
        within=function or within,
    )


def _feeding(parts: list[_Part], front: list[_Part]) -> list[_Part]:
    """Those of some statements that have a part in others directly."""
    reads = set[str]().union(*(one.reads for one in front))
    local: dict[int, set[str]] = {}
    callers: set[str] = set()
    for one in front:
        local.setdefault(id(one.within), set()).update(one.reads)
        if one.within is not None and one.reads & _arguments(one.within):
            callers.add(one.within.name)
    return [
        one for one in parts
        if one.binds & local.get(id(one.within), set())
        or one.sets & reads
        or one.reads & callers
        or (one.within is not None and one.within.name in reads)
    ]  # fmt: skip


def _arguments(function: ast.FunctionDef) -> set[str]:
    return {one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg)}
