"""What a slip of the pen may have made of statements: another way to go on, or another order."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise, takewhile

from ..expressions import name_of
from .names import MODULES, Names, read_in
from .numbers import renewed, turned_about
from .said import Said

__all__ = [
    "PLAIN", "from_none", "indented", "moved", "repeated", "restated", "swapped", "together",
]  # fmt: skip

# Statements that can change places, and that do one thing.
_MOVABLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr)
PLAIN = (*_MOVABLE, ast.Return)

# Statements with others in them.
_BLOCKS = (ast.For, ast.While, ast.If, ast.With)

# What is replaced, with what, and what that costs.
Restated = Iterator[tuple[ast.expr | ast.stmt, str, int]]
# The first and the last of several statements, whether that one is moved, and what they say then.
Moved = Iterator[tuple[ast.stmt, ast.stmt, bool, str]]


def restated(node: ast.stmt, names: Names, said: Said) -> Restated:
    """How a statement may be right. names: those around it."""
    match node:
        case ast.Break():
            yield node, "continue", 0
        case ast.Continue():
            yield node, "pass", 0
        case ast.If(test=test):
            yield from ((test, other, 3) for other in ("True", "False", f"not {said.of(test)}"))
            if isinstance(test, ast.Name):
                yield test, f"{test.id} is not None", 1
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in names.known:
            yield value, f"{name} + {said.of(value)}", 3
            # What is done always was meant for one of two cases.
            again = name in {one.id for one in read_in(value)}
            for flag in sorted(names.asked & names.known) if again else ():
                yield value, f"{said.bare(value)} if {flag} else {name}", 3
                yield value, f"{name} if {flag} else {said.bare(value)}", 3
        case ast.Assign(targets=[ast.Attribute() as target], value=value) if not names.making:
            yield value, f"{said.bare(target)} + {said.of(value)}", 3
        case ast.Assign(targets=[ast.Subscript() as target], value=value):
            yield value, f"{said.bare(target)} + {said.of(value)}", 3
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=called))):
            # What a call gives is kept; one that changes its object is not made.
            new = f"{name} = {said.bare(node)}"
            yield (node, "pass", 2) if called.endswith("_") else (node, new, 0)
        case ast.AugAssign(target=target, value=value):
            yield node, "pass", 3
            yield node, f"{said.bare(target)} = {said.of(value)}", 3
            # What is changed in place is others' too.
            sign = said.between(target, value).strip().removesuffix("=")
            yield node, f"{said.bare(target)} = {said.bare(target)} {sign} {said.of(value)}", 2
        case _:
            pass
    if isinstance(node, PLAIN):
        yield from ((node, new, 2) for new in _alike(node, said))
        yield from ((node, new, 2) for new in renewed(node, names, said))
        yield from ((node, new, 2) for new in turned_about(node, names, said))


def swapped(many: Sequence[ast.stmt], names: Names) -> Iterator[tuple[ast.stmt, ast.stmt]]:
    """Those of a body's statements that may stand in each other's place, and do otherwise then.

    names: those around the body. What is bound by the first alone cannot be read before it.
    """
    for one, other in pairwise(many):
        alone = all(isinstance(each, ast.If) and not each.orelse for each in (one, other))
        if alone or (isinstance(one, _MOVABLE) and isinstance(other, _MOVABLE)):
            (read, bound), (then, changed) = map(_uses, (one, other))
            first = {n for n in bound & then if names.bound.get(n, 0) == one.lineno}
            if not first and (bound & then or read & changed or bound & changed):
                yield one, other


def moved(many: Sequence[ast.stmt], names: Names, said: Said) -> Moved:
    """Some of a body's statements of which the first changes what the last needs as it was.

    It is done last, or the last first.
    """
    for start in range(len(many) - 2):
        rows = [*takewhile(lambda each: isinstance(each, _MOVABLE), many[start:])]
        read, bound = _uses(many[start])
        # What it works out anew, of what it was.
        anew = {n for n in bound & read if names.bound.get(n) != many[start].lineno}
        for end in range(3, len(rows) + 1):
            some = rows[:end]
            if anew & _uses(some[-1])[0]:
                gaps = [*(said.between(*pair) for pair in pairwise(some)), ""]
                for first, order in ((True, [*some[1:], some[0]]), (False, [some[-1], *some[:-1]])):
                    done = zip(map(said.bare, order), gaps, strict=True)
                    yield some[0], some[-1], first, "".join(chain(*done))


def indented(many: Sequence[ast.stmt]) -> Iterator[tuple[ast.stmt, int]]:
    """What stands behind a block, or last in one, with how much further in it may have to stand."""
    for one, other in pairwise([*many, None]):
        if not isinstance(one, _BLOCKS) or getattr(one, "orelse", []):
            continue
        further = one.body[0].col_offset - one.col_offset
        if one.body[0].lineno > one.lineno:
            last = one.body[-1] if len(one.body) > 1 else None
            yield from ((each, by) for each, by in ((other, further), (last, -further)) if each)


def together(many: Sequence[ast.stmt], said: Said) -> Iterator[tuple[ast.stmt, ast.stmt, str]]:
    """Two assignments in a row of which each reads what the other changes, done at once."""
    for pair in pairwise(many):
        match pair:
            case (
                ast.Assign(targets=[ast.Name(id=first)], value=made),
                ast.Assign(targets=[ast.Name(id=second)], value=then),
            ) if all({first, second} <= {one.id for one in read_in(each)} for each in (made, then)):
                values = f"{said.of(made, ast.BinOp)}, {said.of(then, ast.BinOp)}"
                yield *pair, f"{first}, {second} = {values}"
            case _:
                continue


def from_none(many: Sequence[ast.stmt], said: Said) -> Iterator[tuple[ast.stmt, ast.stmt, str]]:
    """Two of a body's statements that cut alike, where what they begin at may be below 0."""
    for one, other in pairwise(many):
        cuts = [[node.lower for node in ast.walk(each) if isinstance(node, ast.Slice)
                 and isinstance(node.lower, ast.BinOp)] for each in (one, other)]  # fmt: skip
        alike = [{said.bare(end) for end in ends} for ends in cuts]
        if len(alike[0]) == 1 and alike[0] == alike[1] and all(map(_lessens, cuts[0])):
            first, second = (
                said.replaced(each, [(end, f"max({said.bare(end)}, 0)") for end in ends])
                for each, ends in zip((one, other), cuts, strict=True)
            )
            yield one, other, first + said.between(one, other) + second


def _lessens(node: ast.AST) -> bool:
    """Whether something is taken away in an expression."""
    return any(isinstance(one, ast.Sub) for one in ast.walk(node))


def _alike(node: ast.stmt, said: Said) -> Iterator[str]:
    """The same number in several calls of a statement, another one in all of them."""
    for many in repeated(node):
        value = getattr(many[0], "value", None)
        for other in (value + 1, value - 1) if type(value) is int else ():
            yield said.replaced(node, [(one, str(other)) for one in many])


def repeated(node: ast.stmt) -> Iterator[list[ast.expr]]:
    """What several calls of a statement are given alike, in the same place."""
    places: dict[tuple[str, str, str], list[ast.expr]] = {}
    for call in (each for each in ast.walk(node) if isinstance(each, ast.Call)):
        given = [(str(n), one) for n, one in enumerate(call.args)]
        for where, one in [*given, *((str(k.arg), k.value) for k in call.keywords)]:
            if isinstance(one, (ast.Constant, ast.Name, ast.Attribute)):
                place = name_of(call.func), where, ast.unparse(one)
                places.setdefault(place, []).append(one)
    yield from (many for many in places.values() if len(many) > 1)


def _uses(node: ast.stmt) -> tuple[set[str], set[str]]:
    """The names and attributes that a statement reads, and those that it changes.

    What a method is called of may be changed by it.
    """
    places = [n for n in ast.walk(node) if isinstance(n, ast.Name | ast.Attribute)]
    stored = {ast.unparse(n) for n in places if isinstance(n.ctx, ast.Store)}
    for one in ast.walk(node):
        match one:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner))):
                stored.add(ast.unparse(owner))
            case ast.AugAssign(target=target) | ast.Assign(targets=[ast.Subscript(value=target)]):
                stored.add(ast.unparse(target))
            case _:
                continue
    return {ast.unparse(n) for n in places} - MODULES, stored
