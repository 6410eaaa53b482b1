"""What a slip of the pen may have made of an expression by the names that stand around it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, permutations, product

from ..expressions import name_of, of_self
from .expressions import COUNTED, TRIANGLES, Rewritten
from .names import MODULES, Attributes, Names, read_in, unread
from .said import Said

__all__ = ["Renaming", "renewed", "turned_about"]

# Calls that multiply matrices.
_PRODUCTS = {"matmul", "bmm", "einsum"}
# With how many names each two are tried in each other's place.
_FEW = 4
# Calls that take a remainder, or what it is of.
_DIVIDING = {"remainder": "//", "fmod": "//", "floor_divide": "%"}
# What a tensor is asked for, whatever its numbers are.
_ASKED = {"shape", "size", "dim", "ndim", "dtype", "device", "new_zeros", "new_ones", "new_full"}
# Calls that take a mask.
_HIDING = {"masked_fill", "where", "logical_and", "logical_or"}


class Renaming:
    """Other names, and other numbers, in the expressions of one file."""

    def __init__(self, nodes: Sequence[ast.AST], said: Said) -> None:
        self.said, self.attributes = said, Attributes(nodes)
        calls = [node for node in nodes if isinstance(node, ast.Call)]
        # What a call is given besides: nobody gives it the same twice.
        self.besides = {id(one): {*map(name_of, node.args)} for node in calls for one in node.args}
        hiding = (node for node in calls if name_of(node.func).strip("_") in _HIDING)
        self.hiding = {id(one) for node in hiding for one in node.args}
        # Of a function within another its own.
        functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]
        derived = (each for each in functions if each.name == "backward")
        self.derived = {id(node) for each in derived for node in ast.walk(each)}
        self.unread = {id(node): unread(each) for each in functions for node in ast.walk(each)}
        self.counted = {id(node) for node in calls if name_of(node.func) in COUNTED}
        returned = (node.value for node in nodes if isinstance(node, ast.Return) and node.value)
        self.returned = {id(_first(value)) for value in returned}
        products = (node for node in nodes if isinstance(node, ast.expr) and _is_product(node))
        self.multiplied = {
            id(one) for node in products
            for one in ([node.left, node.right] if isinstance(node, ast.BinOp) else ast.walk(node))
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)
        }  # fmt: skip
        given = [node.value for node in nodes if isinstance(node, ast.Assign)]
        several = (one for value in given if isinstance(value, ast.Tuple) for one in value.elts)
        self.kept = {*map(id, given), *map(id, several)}
        # What is picked by, or handed over alone, is said of already; a size is no one's part.
        picked = (node.slice for node in nodes if isinstance(node, ast.Subscript))
        alone = (node.args[0] for node in calls if len(node.args) == 1)
        asked = (node.value for node in nodes if isinstance(node, ast.Attribute)
                 and node.attr in _ASKED)  # fmt: skip
        self.said_within = {*map(id, picked), *map(id, alone), *map(id, asked)}
        # What is called, or looked into, is part of another node; whose method is called is not.
        called = {id(node.func) for node in calls}
        before = (node.value for node in nodes if isinstance(node, ast.Attribute)
                  and not (id(node) in called and of_self(node.value)))  # fmt: skip
        self.parts = called | {id(one) for one in before if isinstance(one, ast.Attribute)}

    def of(self, node: ast.expr, names: Names) -> Rewritten:
        """How an expression may be right with other names in it. names: those around it."""
        yield from self._left(node, names)
        yield from self._derived(node, names) if id(node) in self.derived else ()
        match node:
            case ast.Name(ctx=ast.Load()) if id(node) not in self.parts and node.id in names.known:
                yield from self._named(node, names)
            case ast.Attribute(ctx=ast.Load(), value=ast.Name() | ast.Attribute()):
                yield from self._looked_up(node, names) if id(node) not in self.parts else ()
            case ast.Slice(lower=ast.expr() as lower, upper=ast.expr() as upper, step=None):
                yield from self._shifted(lower, upper, names)
            case ast.Call(args=args) if name_of(node.func) in COUNTED:
                yield from self._ranged(node, args, names)
            case ast.Call(func=ast.Attribute(value=left), args=[_]) if sign := _DIVIDING.get(
                name_of(node.func)
            ):
                yield from ((f"({self.said.of(left)} {sign} {n})", 3) for n in names.counting())
            case ast.Call() if name_of(node.func) in TRIANGLES:
                yield from self._begun(node, names)
            case ast.Subscript(ctx=ast.Load(), slice=ast.Constant(value=int()) as place):
                # One for all, where each has its own.
                cost = 2 if of_self(node.value) else 4
                for name in names.counting() if not names.making else ():
                    yield self.said.replaced(node, [(place, name)]), cost
            case ast.Constant(value=0) if id(node) in self.besides and type(node.value) is int:
                # Between where two parts begin lies what one is ahead of the other.
                yield from ((f"{a} - {b}", 1) for a, b in permutations(sorted(names.begins), 2))
            case ast.BinOp():
                yield from self._summed(node, names)
                yield from self._cut(node, names)
            case _:
                return

    def _left(self, node: ast.expr, names: Names) -> Rewritten:
        """With what is there and not used: a layer that nothing calls, a factor, a place."""
        if id(node) in self.counted:
            # Where a part of something begins, its places are counted from.
            said = self.said.of(node)
            left = self.unread.get(id(node), ())
            yield from ((f"({said} {sign} {one})", 2) for one in left for sign in "+-")
        for one in self.attributes.left(node, layers=True):
            named = isinstance(node, ast.Name) and id(node) in self.kept
            if named or id(node) in self.returned or id(node) in self.multiplied:
                cost = 2 if id(node) in self.returned else 1
                yield f"self.{one}({self.said.bare(node)})", cost
            if isinstance(node, ast.Call) and of_self(node.func):
                yield self.said.replaced(node, [(node.func, f"self.{one}")]), 1
        if _is_product(node):
            left = (f"self.{one}" for one in self.attributes.left(node, layers=False))
            yield from ((f"({self.said.of(node)} * {one})", 3) for one in (*left, *names.left))

    def _derived(self, node: ast.expr, names: Names) -> Rewritten:
        """A term, or what is added up, that lacks a factor in a derivative written by hand."""
        match node:
            case ast.BinOp(op=ast.Add() | ast.Sub(), left=left, right=right):
                terms = [left, right]
            case ast.Call(func=ast.Attribute(value=ast.Name() as term, attr="sum")):
                terms = [term]
            case _:
                return
        factors = [n for n in names.bound if n in names.known and n not in names.numbers]
        for term, factor in product(terms, factors):
            yield self.said.replaced(node, [(term, f"({factor} * {self.said.of(term)})")]), 4

    def _looked_up(self, node: ast.Attribute, names: Names) -> Rewritten:
        """Another attribute of the same object, or another number that it has a part in."""
        said, others = self.said.bare(node), self.attributes.like(node)
        owner = said[: -len(node.attr)]
        yield from ((f"{owner}{one}", 2) for one in others)
        if id(node) in self.besides:
            if names.making:
                yield f"2 * {said}", 4
            else:
                yield from ((f"{owner}{one} // {said}", 4) for one in others)

    def _ranged(self, node: ast.Call, args: list[ast.expr], names: Names) -> Rewritten:
        """A range that begins elsewhere, or ends where there is no more."""
        match args:
            case [until]:
                left = (f"self.{one}" for one in self.attributes.left(node, layers=False))
                for name in (*names.counting(name_of(until)), *left):
                    # What goes on where something ended begins there; what is last ends there.
                    behind = f"{name}, {name} + {self.said.of(until)}"
                    yield self.said.replaced(node, [(until, behind)]), 4
                    last = f"{name} - {self.said.of(until)}, {name}"
                    yield self.said.replaced(node, [(until, last)]), 3
            case [_, ast.BinOp(op=ast.Add()) as end]:
                # Places up to so many more, as far as there are any.
                for name in names.counting():
                    ends = f"min({self.said.bare(end)}, {name})"
                    yield self.said.replaced(node, [(end, ends)]), 3
            case _:
                return

    def _named(self, node: ast.Name, names: Names) -> Rewritten:
        """Another name, or another number of what it counts."""
        signs = ("({0} + 1)", "({0} - 1)", "(1 - {0})") if not names.making else ()
        yield from ((sign.format(node.id), 5) for sign in (*signs, "(2 * {0})"))
        if id(node) in self.hiding:
            yield f"~{node.id}", 4
        if id(node) not in self.said_within:
            yield from ((other, 3) for other in names.within.get(node.id, ()))
        besides = {node.id} | self.besides.get(id(node), set())
        for other in names.like(node.id):
            if other not in besides:
                # What nothing reads was meant to be read.
                yield other, 1 if other in names.left else 3
        if names.making and id(node) in self.kept and node.id in names.numbers:
            # How many of them are how many times as many.
            yield from ((f"{n} // {node.id}", 3) for n in names.counting(node.id))
        if not names.making and id(node) in self.besides and node.id in names.numbers:
            yield from ((f"{n} // {node.id}", 4) for n in names.counting(node.id))
        if names.making and id(node) in self.besides and node.id in names.numbers:
            # A layer is made for heads, or for all of them.
            many = [*names.counting(node.id)]
            yield from ((f"{node.id} {sign} {n}", 4) for n in many for sign in ("//", "*"))
            yield from ((f"{one} * {other}", 5) for one, other in combinations(many, 2))

    def _begun(self, node: ast.Call, names: Names) -> Rewritten:
        """A triangle that begins where a part of it does."""
        of = isinstance(node.func, ast.Attribute) and name_of(node.func.value) not in MODULES
        told = [one.value for one in node.keywords if one.arg == "diagonal"] or node.args[not of :]
        for name in names.counting() if not names.making else ():
            match told:
                case []:
                    given = self.said.bare(node)[:-1].rstrip(", \n")
                    yield f"{given}{'' if of else ', '}{name})", 5
                case [ast.Constant(value=int(number)) as diagonal]:
                    more = f"{name} + {number}" if number else name
                    yield self.said.replaced(node, [(diagonal, more)]), 5
                case _:
                    return

    def _summed(self, node: ast.BinOp, names: Names) -> Rewritten:
        """A name that lacks a factor: what counts tiles is told from what counts entries."""
        if not isinstance(node.op, ast.Add | ast.Sub) or not isinstance(node.left, ast.Name):
            return
        name, right = node.left.id, self.said.of(node.right)
        sign = "+" if isinstance(node.op, ast.Add) else "-"
        yield from ((f"({name} * {n} {sign} {right})", 5) for n in names.counting(name))
        if isinstance(node.right, ast.Constant) and name in names.numbers:
            yield from ((n, 4) for n in names.counting(name))

    def _cut(self, node: ast.BinOp, names: Names) -> Rewritten:
        """Which of those that lie side by side for which of those that come in turn; and back."""
        if not isinstance(node.op, ast.Mod | ast.FloorDiv):
            return
        left, right = self.said.of(node.left), self.said.of(node.right)
        sign = "%" if isinstance(node.op, ast.FloorDiv) else "//"
        yield from ((f"{left} {sign} {n}", 3) for n in names.counting(name_of(node.right)))
        if isinstance(node.right, ast.Attribute) and id(node.right) not in self.parts:
            owner = self.said.of(node.right.value)
            whole = (f"{owner}.{one}" for one in self.attributes.like(node.right))
            yield from ((f"{left} {sign} ({one} // {right})", 4) for one in whole)

    def _shifted(self, lower: ast.expr, upper: ast.expr, names: Names) -> Rewritten:
        """Both ends of a slice further on, by what both begin at."""
        both = [{one.id for one in read_in(end)} for end in (lower, upper)]
        for name in sorted(both[0] & both[1]):
            for new in (f"2 * {name}", *names.like(name)):
                if new != name:
                    yield ":".join(_with(e, {name: new}, self.said) for e in (lower, upper)), 3


def _first(value: ast.expr) -> ast.expr:
    """What is given back, or the first of several."""
    return value.elts[0] if isinstance(value, ast.Tuple) and value.elts else value


def _is_product(node: ast.expr) -> bool:
    """Whether matrices are multiplied."""
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.MatMult)
    return isinstance(node, ast.Call) and name_of(node.func) in _PRODUCTS


def renewed(node: ast.stmt, names: Names, said: Said) -> Iterator[str]:
    """What is made of several names, of what was made of each of them last."""
    used = {one.id for one in read_in(node)}
    newer = {n: names.newer[n] for n in used & {*names.newer}}
    newer = {n: new for n, new in newer.items() if new in names.known - used}
    if len(newer) > 1:
        yield _with(node, newer, said)


def turned_about(node: ast.stmt, names: Names, said: Said) -> Iterator[str]:
    """Each of two names that a statement reads in the other's place, wherever it does.

    Of a product that would undo what was done before.
    """
    if any(isinstance(one, ast.expr) and _is_product(one) for one in ast.walk(node)):
        return
    used = [*dict.fromkeys(one.id for one in read_in(node) if one.id in names.known)]
    for one, other in combinations(used, 2) if len(used) <= _FEW else ():
        if (one in names.numbers) == (other in names.numbers):
            yield _with(node, {one: other, other: one}, said)


def _with(node: ast.expr | ast.stmt, others: Mapping[str, str], said: Said) -> str:
    """What a node says, with something else for some names that it reads."""
    return said.replaced(node, [(one, others[one.id]) for one in read_in(node) if one.id in others])
