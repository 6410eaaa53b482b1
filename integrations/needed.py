"""Which statements a class needs of what stands before it, by the names that they bind and use.

Code that was written to be run is not all run again to judge a class: the rest may train a
model, plot, or ask for this very verdict.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

__all__ = ["kept"]

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_EVERYTHING = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Statement:
    """A statement of the top level, in the order of running. first and last: its lines.

    binds: names that it makes. changes: names of what it changes. uses: names that it reads,
    now or when it is called.
    """

    cell: int
    first: int
    last: int
    binds: frozenset[str]
    changes: frozenset[str]
    uses: frozenset[str]


def kept(cells: Sequence[str], wanted: str | None) -> list[str]:
    """Return the cells with nothing but what the last of them needs, or the name that is wanted.

    A line that is left out is empty, so that every other one keeps its number. Cells that are no
    Python are left out whole, the last of them excepted. Raise LookupError where nothing binds
    the name.
    """
    found = [list(_statements(text, cell)) for cell, text in enumerate(cells)]
    everything = [one for of_cell in found for one in of_cell]
    if wanted is None:
        chosen = found[-1]
        whole = {len(cells) - 1}
    else:
        chosen = [one for one in everything if wanted in one.binds][-1:]
        whole = set[int]()
        if not chosen:
            raise LookupError(wanted)
    lines = _lines(_closed(chosen, everything))
    return [
        text
        if cell in whole
        else "\n".join(
            row if (cell, number) in lines else "" for number, row in enumerate(text.split("\n"), 1)
        )
        for cell, text in enumerate(cells)
    ]


def _closed(chosen: Sequence[_Statement], everything: Sequence[_Statement]) -> list[_Statement]:
    """Add what is needed by what is needed."""
    place = {id(one): at for at, one in enumerate(everything)}
    taken = {id(one): one for one in chosen}
    taken |= {id(one): one for one in everything if _EVERYTHING in one.binds}
    waiting = list(taken.values())
    while waiting:
        one = waiting.pop()
        for name in one.uses | one.changes:
            for other in _making(name, place[id(one)], everything):
                if id(other) not in taken:
                    taken[id(other)] = other
                    waiting.append(other)
    return list(taken.values())


def _making(name: str, at: int, everything: Sequence[_Statement]) -> Iterator[_Statement]:
    """Yield what makes a name's value for the statement at a place, which may be called later."""
    binding = [place for place, one in enumerate(everything) if name in one.binds]
    before = [place for place in binding if place < at]
    for place in {*before[-1:], *binding[-1:]}:
        yield everything[place]
    yield from (one for one in everything if name in one.changes)


def _lines(statements: Sequence[_Statement]) -> set[tuple[int, int]]:
    return {(one.cell, number) for one in statements for number in range(one.first, one.last + 1)}


def _statements(text: str, cell: int) -> Iterator[_Statement]:
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in body:
        decorators = [one.lineno for one in getattr(node, "decorator_list", ())]
        binds, changes = _made(node)
        yield _Statement(
            cell=cell,
            first=min([node.lineno, *decorators]),
            last=node.end_lineno or node.lineno,
            binds=frozenset(binds),
            changes=frozenset(changes),
            uses=frozenset(
                one.id
                for one in ast.walk(node)
                if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)
            ),
        )


def _made(statement: ast.stmt) -> tuple[set[str], set[str]]:
    """Return the names that a statement binds at the top level, and those of what it changes."""
    binds, changes = set[str](), set[str]()
    for node in _outside_scopes(statement):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            binds |= {(one.asname or one.name).partition(".")[0] for one in node.names}
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            binds.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            binds.add(node.id)
        elif isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store):
            changes |= _root(node)
        elif isinstance(node, ast.AugAssign):
            changes |= _root(node.target)
    return binds, changes


def _outside_scopes(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    if not isinstance(node, _SCOPES):
        for child in ast.iter_child_nodes(node):
            yield from _outside_scopes(child)


def _root(node: ast.expr) -> set[str]:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return {node.id} if isinstance(node, ast.Name) else set()
