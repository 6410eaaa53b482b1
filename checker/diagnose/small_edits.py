"""Small edits of a submission: what a slip of the pen may have made of right code.

Each changes one expression or two statements: a number, an operator, an end of a slice, the name of
a method, one name for another, the order of two steps. As in mutation-based fault localisation
(Papadakis, Le Traon 2015, Metallaxis-FL), a line is to blame where one of them makes what went
wrong right.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import NamedTuple

from .counts import counts
from .expression_edits import COUNTED, MODULES, rewritten
from .expressions import name_of
from .said import Said

__all__ = ["UNREAD", "SmallEdit", "small_edits"]

# What Python says of a text that it does not read.
UNREAD = (SyntaxError, ValueError, RecursionError, MemoryError)

# Calls that take a mask.
_HIDING = {"masked_fill", "where", "logical_and", "logical_or"}
# Calls that round to a whole number.
_ROUNDING = {"ceil", "floor", "int", "round"}
# Statements that can change places.
_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr)


@dataclass(frozen=True, slots=True)
class SmallEdit:
    """One edit. line: where. start, end: what it replaces, by place in the text. new: with what.

    Of two steps that change places the second's line is meant, which comes too late.

    cost: -1 where a sign changes places in a pair, which is a rotation's, 0 where a loop goes on
    in place of ending, 1 where one sign is another or two steps change places, 2 where a call is
    left out, two that are handed over change places or an attribute is another, 3 where a name is,
    or what is called with it stands for the call, 4 where it has a sign more, 5 where it has a
    factor more.
    """

    line: int
    start: int
    end: int
    new: str
    cost: int

    def beside(self, other: SmallEdit) -> bool:
        """Whether another edit replaces the same with something else."""
        same = (self.start, self.end) == (other.start, other.end)
        return same and self.new != other.new

    def lines(self, text: str) -> range:
        """The lines that it stands on."""
        first = 1 + text.count("\n", 0, self.start)
        return range(first, first + 1 + text.count("\n", self.start, self.end))

    def applied(self, text: str) -> str:
        """The text with it."""
        return text[: self.start] + self.new + text[self.end :]

    def tidied(self, text: str) -> SmallEdit:
        """The same without its own parentheses, where they change nothing there."""
        bare = replace(self, new=self.new[1:-1])
        with suppress(*UNREAD):
            one, other = (ast.dump(ast.parse(each.applied(text))) for each in (self, bare))
            return bare if self.new.startswith("(") and one == other else self
        return self


def small_edits(tree: ast.AST, text: str) -> Iterator[SmallEdit]:
    """Every small edit of what stands in a file's functions."""
    made = _Edits(tree, text)
    seen: set[int] = set()
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            inside = [node for node in ast.walk(function) if id(node) not in seen]
            seen.update(map(id, inside))
            bound, numbers, newer = _bound(function), counts(function), _newer(function)
            making = function.name == "__init__"
            for node in inside:
                before = getattr(node, "lineno", 0)
                known = {n for n, line in bound.items() if line < before}
                yield from made.of(node, _Names([*bound], known, numbers, newer, making))


class _Names(NamedTuple):
    """The names around a node.

    bound: those of its function, in their order. known: those that are bound before it. numbers:
    those that stand for numbers. newer: what is made of each, the last. making: whether an object
    is being made.
    """

    bound: Sequence[str]
    known: AbstractSet[str]
    numbers: AbstractSet[str]
    newer: Mapping[str, str]
    making: bool

    def like(self, name: str) -> Iterator[str]:
        """Those that may stand for another one."""
        counts = name in self.numbers
        return (n for n in self.bound if n in self.known and (n in self.numbers) == counts)

    def counting(self, *but: str) -> Iterator[str]:
        """Those that stand for numbers."""
        return (n for n in self.bound if n in self.known and n in self.numbers and n not in but)


def _bound(function: ast.FunctionDef) -> dict[str, int]:
    """The names of a function's arguments and of what it assigns, with the line that does first."""
    found: dict[str, int] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.arg):
            found[node.arg] = function.lineno - 1
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found[node.id] = min(node.lineno, found.get(node.id, node.lineno))
    return {name: line for name, line in found.items() if name not in MODULES}


def _newer(function: ast.FunctionDef) -> dict[str, str]:
    """What was made last of each name of a function."""
    found: dict[str, str] = {}
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=made)], value=value):
                read = (one.id for one in ast.walk(value) if isinstance(one, ast.Name))
                found |= {name: made for name in read if name != made}
            case _:
                continue
    return found


def _layers(node: ast.AST) -> Iterator[str]:
    """The attributes that a statement makes of a class: `self.norm = nn.LayerNorm(width)`."""
    made = node.value if isinstance(node, ast.Assign) else None
    if isinstance(node, ast.Assign) and isinstance(made, ast.Call) and _makes(made):
        yield from (one.attr for one in node.targets if isinstance(one, ast.Attribute))


def _makes(call: ast.Call) -> bool:
    """Whether a call makes an object of a class."""
    return name_of(call.func)[:1].isupper()


class _Edits:
    """The edits of one file's expressions and statements."""

    def __init__(self, tree: ast.AST, text: str) -> None:
        self.said = Said(text)
        nodes = [*ast.walk(tree)]
        calls = [node for node in nodes if isinstance(node, ast.Call)]
        called = {id(node.func) for node in calls}
        # What a call is given besides: nobody gives it the same twice.
        self.besides = {id(one): {*map(name_of, node.args)} for node in calls for one in node.args}
        hiding = (node for node in calls if name_of(node.func).strip("_") in _HIDING)
        self.hiding = {id(one) for node in hiding for one in node.args}
        # What is called, or stands within a sign or before a dot, is part of another node.
        inside = (getattr(n, "operand", None) or getattr(n, "value", None) for n in nodes
                  if isinstance(n, (ast.UnaryOp, ast.Attribute)))  # fmt: skip
        inner = {id(one) for one in inside if isinstance(one, (ast.Constant, ast.Attribute))}
        # What is rounded is a size: with another it is cut otherwise, or not at all.
        sizes = {id(one) for node in calls if name_of(node.func) in _ROUNDING for one in node.args}
        self.parts = called | inner
        self.whole = inner | sizes
        classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
        self.classes = {id(node): one.name for one in classes for node in ast.walk(one)}
        self.layers = {name for node in nodes for name in _layers(node)}
        self.attributes: dict[tuple[str, str], set[str]] = {}
        for node in nodes:
            if isinstance(node, ast.Attribute) and id(node) not in called:
                self.attributes.setdefault(self._owner(node), set()).add(node.attr)

    def of(self, node: ast.AST, names: _Names) -> Iterator[SmallEdit]:
        """The edits of one node. names: those around it."""
        if isinstance(node, ast.expr):
            for new, cost in rewritten(node, self.said) if id(node) not in self.whole else ():
                yield self._edit(node, new, cost)
            for new, cost in self._named(node, names):
                yield self._edit(node, new, cost)
        elif isinstance(node, ast.stmt):
            yield from self._stated(node, names)
            if isinstance(node, (*_SIMPLE, ast.Return)):
                yield from self._alike(node)
                yield from self._renewed(node, names)
        if isinstance(node, ast.Call) and name_of(node.func) == "einsum" and node.args:
            yield from self._lettered(node.args[0])
        for many in (getattr(node, field, None) for field in ("body", "orelse")):
            if isinstance(many, list):
                yield from self._reordered(many)
        many = node.args if isinstance(node, ast.Call) else getattr(node, "elts", ())
        if not isinstance(getattr(node, "ctx", None), ast.Store):
            # What is joined in a list has an order, as what is called has.
            yield from self._exchanged(many, 2 if isinstance(node, ast.Call) else 1)

    def _edit(self, node: ast.expr | ast.stmt, new: str, cost: int) -> SmallEdit:
        start, end = self.said.span(node)
        return SmallEdit(node.lineno, start, end, new, cost)

    def _owner(self, node: ast.Attribute) -> tuple[str, str]:
        """Whose attribute it is: of `self` in each class another's."""
        name = name_of(node.value)
        return (self.classes.get(id(node), "") if name == "self" else "", name)

    def _like(self, node: ast.Attribute) -> list[str]:
        """The attributes that may stand for another one of the same."""
        layer = node.attr in self.layers
        others = self.attributes[self._owner(node)] - {node.attr}
        return sorted(one for one in others if (one in self.layers) == layer)

    def _lettered(self, node: ast.expr) -> Iterator[SmallEdit]:
        """What an einsum says, two letters of one operand in each other's place."""
        said = node.value if isinstance(node, ast.Constant) else None
        if not isinstance(said, str):
            return
        for at in range(len(said) - 1):
            pair = said[at : at + 2]
            if pair.isalpha():
                yield self._edit(node, repr(said[:at] + pair[::-1] + said[at + 2 :]), 1)

    def _named(self, node: ast.expr, names: _Names) -> Iterator[tuple[str, int]]:
        """Other names in an expression, or another number of what a name counts."""
        match node:
            case ast.Name(ctx=ast.Load()) if id(node) not in self.parts and node.id in names.known:
                signs = ("({0} + 1)", "({0} - 1)", "(1 - {0})") if not names.making else ()
                yield from ((sign.format(node.id), 4) for sign in (*signs, "(2 * {0})"))
                if id(node) in self.hiding:
                    yield f"~{node.id}", 4
                besides = {node.id} | self.besides.get(id(node), set())
                yield from ((other, 3) for other in names.like(node.id) if other not in besides)
                if names.making and id(node) in self.besides and node.id in names.numbers:
                    # A layer is made for heads, or for all of them.
                    many = [*names.counting(node.id)]
                    yield from ((f"{node.id} {sign} {n}", 4) for n in many for sign in ("//", "*"))
                    yield from ((f"{one} * {other}", 5) for one, other in combinations(many, 2))
            case ast.Attribute(ctx=ast.Load(), value=ast.Name(id=owner)):
                if id(node) not in self.parts:
                    yield from ((f"{owner}.{other}", 2) for other in self._like(node))
                    if names.making and id(node) in self.besides:
                        yield f"2 * {owner}.{node.attr}", 4
            case ast.Slice(lower=ast.expr() as lower, upper=ast.expr() as upper):
                yield from self._shifted(lower, upper, names)
            case ast.Call(args=[until]) if name_of(node.func) in COUNTED:
                # What goes on where something ended begins there.
                for name in names.counting(name_of(until)):
                    yield self._counted(node, until, name), 4
            case ast.BinOp(left=left, right=right):
                yield from self._calculated(node, left, right, names)
            case _:
                return

    def _counted(self, call: ast.Call, until: ast.expr, start: str) -> str:
        """A call that counts from 0, from a number on."""
        (begun, ended), (first, last) = self.said.span(call), self.said.span(until)
        ends = f"{start}, {start} + {self.said.of(until)}"
        return self.said.text[begun:first] + ends + self.said.text[last:ended]

    def _calculated(
        self, node: ast.BinOp, left: ast.expr, right: ast.expr, names: _Names
    ) -> Iterator[tuple[str, int]]:
        """Other numbers in what is calculated of numbers."""
        told, other = self.said.of(left), self.said.of(right)
        if isinstance(node.op, ast.Add | ast.Sub) and isinstance(left, ast.Name):
            sign = "+" if isinstance(node.op, ast.Add) else "-"
            # What counts tiles is told from what counts entries by a factor.
            yield from ((f"({told} * {n} {sign} {other})", 5) for n in names.counting(left.id))
            if isinstance(right, ast.Constant) and left.id in names.numbers:
                yield from ((n, 4) for n in names.counting(left.id))
        if isinstance(node.op, ast.Mod | ast.FloorDiv):
            # Which of those that lie side by side, and which of those that come in turn.
            sign = "%" if isinstance(node.op, ast.FloorDiv) else "//"
            yield from ((f"{told} {sign} {n}", 3) for n in names.counting(name_of(right)))
            if isinstance(right, ast.Attribute) and id(right) not in self.parts:
                whole = (f"{name_of(right.value)}.{n}" for n in self._like(right))
                yield from ((f"{told} {sign} ({one} // {other})", 4) for one in whole)

    def _shifted(
        self, lower: ast.expr, upper: ast.expr, names: _Names
    ) -> Iterator[tuple[str, int]]:
        """Both ends of a slice further on, by what both begin at."""
        both = [[n for n in ast.walk(end) if isinstance(n, ast.Name)] for end in (lower, upper)]
        for name in sorted({n.id for n in both[0]} & {n.id for n in both[1]}):
            for new in (f"2 * {name}", *names.like(name)):
                if new != name:
                    ends = (self._replaced(end, {name: new}) for end in (lower, upper))
                    yield ":".join(ends), 3

    def _replaced(self, node: ast.expr | ast.stmt, others: Mapping[str, str]) -> str:
        """What a node says, with something else for some names that it reads."""
        start, said = self.said.span(node)[0], self.said.bare(node)
        read = (
            n for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
        )
        places = [(self.said.span(n), others[n.id]) for n in read if n.id in others]
        for (first, last), new in sorted(places, reverse=True):
            said = said[: first - start] + new + said[last - start :]
        return said

    def _stated(self, node: ast.stmt, names: _Names) -> Iterator[SmallEdit]:
        """Another way for a loop, a branch or an assignment to go on."""
        match node:
            case ast.Break():
                yield self._edit(node, "continue", 0)
            case ast.Continue():
                yield self._edit(node, "pass", 0)
            case ast.If(test=test):
                others = ("True", "False", f"not {self.said.of(test)}")
                yield from (self._edit(test, other, 3) for other in others)
                if isinstance(test, ast.Name):
                    yield self._edit(test, f"{test.id} is not None", 1)
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in names.known:
                yield self._edit(value, f"{name} + {self.said.of(value)}", 3)
            case ast.Assign(targets=[ast.Attribute() as target], value=value) if not names.making:
                told = f"{self.said.bare(target)} + {self.said.of(value)}"
                yield self._edit(value, told, 3)
            case ast.AugAssign(target=target, value=value):
                yield self._edit(node, f"{self.said.bare(target)} = {self.said.bare(value)}", 3)
            case _:
                return

    def _alike(self, node: ast.stmt) -> Iterator[SmallEdit]:
        """The same number in several calls of a statement, another one in all of them."""
        places: dict[tuple[str, str, int], list[ast.Constant]] = {}
        for call in (each for each in ast.walk(node) if isinstance(each, ast.Call)):
            given = [(str(n), one) for n, one in enumerate(call.args)]
            for where, one in [*given, *((str(k.arg), k.value) for k in call.keywords)]:
                if isinstance(one, ast.Constant) and type(one.value) is int:
                    places.setdefault((name_of(call.func), where, one.value), []).append(one)
        start, said = self.said.span(node)[0], self.said.bare(node)
        for (_, _, value), many in places.items():
            for other in (value + 1, value - 1) if len(many) > 1 else ():
                new = said
                for first, last in sorted(map(self.said.span, many), reverse=True):
                    new = new[: first - start] + str(other) + new[last - start :]
                yield self._edit(node, new, 2)

    def _renewed(self, node: ast.stmt, names: _Names) -> Iterator[SmallEdit]:
        """What is made of several names, of what was made of each of them last."""
        used = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
        newer = {n: names.newer[n] for n in used & {*names.newer}}
        newer = {n: new for n, new in newer.items() if new in names.known - used}
        if len(newer) > 1:
            yield self._edit(node, self._replaced(node, newer), 2)

    def _reordered(self, many: Sequence[ast.stmt]) -> Iterator[SmallEdit]:
        """Two statements, of which one reads what the other binds, in the other order."""
        for one, other in pairwise(many):
            if isinstance(one, _SIMPLE) and isinstance(other, _SIMPLE) and _meet(one, other):
                yield from self._exchanged((one, other), 1)

    def _exchanged(self, many: Sequence[ast.expr | ast.stmt], cost: int) -> Iterator[SmallEdit]:
        """Two that stand side by side, each in the other's place."""
        for one, other in pairwise(many):
            strings = any(isinstance(getattr(each, "value", 0), str) for each in (one, other))
            if not strings and not any(isinstance(each, ast.Starred) for each in (one, other)):
                between = self.said.between(one, other)
                new = self.said.bare(other) + between + self.said.bare(one)
                if self.said.bare(one) == self.said.bare(other):
                    continue
                start, end = self.said.span(one)[0], self.said.span(other)[1]
                meant = other if isinstance(other, ast.stmt) else one
                yield SmallEdit(meant.lineno, start, end, new, cost)


def _meet(one: ast.stmt, other: ast.stmt) -> bool:
    """Whether a statement binds, or calls a method of, what another one names."""
    uses = [{n.id for n in ast.walk(each) if isinstance(n, ast.Name)} for each in (one, other)]
    return bool(uses[0] & uses[1] - MODULES)
