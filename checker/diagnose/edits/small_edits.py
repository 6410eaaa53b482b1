"""Every small edit of a file, as a place in its text and what stands there instead."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, pairwise

from ..expressions import name_of
from .expressions import rewritten
from .loops import in_loops
from .names import NO_NAMES, Names, names_in
from .numbers import Renaming
from .said import Said
from .statements import PLAIN, from_none, indented, moved, repeated, restated, swapped, together

__all__ = ["UNREAD", "SmallEdit", "small_edits"]

# What Python says of a text that it does not read.
UNREAD = (SyntaxError, ValueError, RecursionError, MemoryError)

# What it costs to put a number beside something.
_ADDING = 4
# What an axis is called where it is handed over.
_AXES = {"dim", "axis"}
# Calls that round to a whole number, and those of which an end of a range is taken so.
_ROUNDING = {"ceil", "floor", "int", "round"}
_ENDS = {"min", "max", "amin", "amax"}


@dataclass(frozen=True, slots=True)
class SmallEdit:
    """One edit. line: where. start, end: what it replaces, by place in the text. new: with what.

    Of two steps that change places the second's line is meant, which comes too late.

    cost: -1 where a sign changes places in a pair, which is a rotation's, 0 where a loop goes on
    in place of ending, or an axis is the last or the one before it, 1 where one sign is another or
    two steps change places, 2 where a call is left out, two that are handed over change places or
    an attribute is another, 3 where a name is, or what is called with it stands for the call, 4
    where it has a sign more, 5 where it has a factor more.
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

    def renumbered(self) -> SmallEdit | None:
        """The same with another number, where it puts one beside what stands there."""
        put = re.fullmatch(r"(\(?)(\d+)( [*-] .+)|(.+ [+-] )(\d+)(\)?)", self.new)
        if put is None or self.cost < _ADDING:
            return None
        before, number, behind = put.groups()[:3] if put[2] else put.groups()[3:]
        return replace(self, new=f"{before}{int(number) + 1}{behind}")

    def indents(self, text: str) -> bool:
        """Whether it moves rows further in, or out, and does nothing else."""
        rows, others = (each.split("\n") for each in (text[self.start : self.end], self.new))
        return [*map(str.strip, rows)] == [*map(str.strip, others)]

    def lines(self, text: str) -> range:
        """The lines that it changes."""
        first = 1 + text.count("\n", 0, self.start)
        rows, others = (each.split("\n") for each in (text[self.start : self.end], self.new))
        pairs = enumerate(zip(rows, others, strict=False), first)
        changed = [line for line, (row, other) in pairs if row.strip() != other.strip()] or [first]
        return range(changed[0], changed[-1] + 1)

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
    """Every small edit of what stands in a file: each text once, in as many lines."""
    made, done = _Edits(tree, text), {text}
    for node, names in _with_names(tree):
        for edit in made.of(node, names):
            new = edit.applied(text)
            if new not in done and new.count("\n") == text.count("\n"):
                done.add(new)
                yield edit


def _with_names(tree: ast.AST) -> Iterator[tuple[ast.AST, Names]]:
    """The nodes of a file's functions, then all others, with the names that are known there."""
    seen: set[int] = set()
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            inside = [node for node in ast.walk(function) if id(node) not in seen]
            seen.update(map(id, inside))
            names = names_in(function)
            yield from ((node, names.before(getattr(node, "lineno", 0))) for node in inside)
    outside = [node for node in ast.walk(tree) if id(node) not in seen]
    # How many of something there are everywhere is nobody's slip.
    given = (node.value for node in outside if isinstance(node, ast.Assign | ast.AnnAssign))
    counts = {id(one) for one in given if isinstance(one, ast.Constant) and type(one.value) is int}
    yield from ((node, NO_NAMES) for node in outside if id(node) not in counts)


def _is_end(node: ast.expr) -> bool:
    """Whether a node takes the least or the most of something."""
    return isinstance(node, ast.Call) and name_of(node.func) in _ENDS


class _Edits:
    """The edits of one file's nodes."""

    def __init__(self, tree: ast.AST, text: str) -> None:
        self.said = Said(text)
        nodes = [*ast.walk(tree)]
        self.renaming = Renaming(nodes, self.said)
        # A number within a sign is part of another node.
        signed = (node.operand for node in nodes if isinstance(node, ast.UnaryOp))
        # What is rounded is a size: with another it is cut otherwise, or not at all.
        calls = (node for node in nodes if isinstance(node, ast.Call))
        rounded = (one for node in calls if name_of(node.func) in _ROUNDING for one in node.args)
        sizes = (one for one in rounded if not _is_end(one))
        # What stands in a string that is filled in is nobody's number.
        filled = (n for node in nodes if isinstance(node, ast.JoinedStr) for n in ast.walk(node))
        numbers = (one for one in signed if isinstance(one, ast.Constant))
        named = (node for node in nodes if isinstance(node, ast.keyword) and node.arg in _AXES)
        self.axes = {id(one.value) for one in named if isinstance(one.value, ast.Constant)}
        # Whether it is one and the same is asked of what it is about.
        same = (one for node in nodes if isinstance(node, ast.Compare)
                and isinstance(node.ops[0], ast.Is | ast.IsNot)
                for one in (node.left, *node.comparators))  # fmt: skip
        self.whole = {id(one) for many in (numbers, sizes, filled, same) for one in many}
        # What stands beside a part of an assigned tuple: nobody gives one thing two names there.
        paired = (node.value for node in nodes if isinstance(node, ast.Assign)
                  and isinstance(node.value, ast.Tuple))  # fmt: skip
        self.beside = {
            id(part): (one, {self.said.bare(other) for other in many.elts if other is not one})
            for many in paired for one in many.elts for part in ast.walk(one)
        }  # fmt: skip

    def of(self, node: ast.AST, names: Names) -> Iterator[SmallEdit]:
        """The edits of one node. names: those around it."""
        if id(node) in self.whole:
            return
        for part, new, cost in in_loops(node, names, self.said):
            yield self._edit(part, new, cost)
        if isinstance(node, ast.expr):
            # The last axis, or the one before it, whatever their number is.
            for new in ("-1", "-2") if id(node) in self.axes else ():
                yield self._edit(node, new, 0)
            whole, others = self.beside.get(id(node), (node, set[str]()))
            for new, cost in chain(rewritten(node, self.said), self.renaming.of(node, names)):
                if not others or self.said.replaced(whole, [(node, new)]) not in others:
                    yield self._edit(node, new, cost)
        elif isinstance(node, ast.stmt):
            for part, new, cost in restated(node, names, self.said):
                yield self._edit(part, new, cost)
            for many in repeated(node) if isinstance(node, PLAIN) else ():
                counts = isinstance(many[0], ast.Attribute) or name_of(many[0]) in names.numbers
                for other, cost in self.renaming.of(many[0], names) if counts else ():
                    new = self.said.replaced(node, [(one, other) for one in many])
                    yield self._edit(node, new, cost)
        yield from self._orders(node, names)

    def _orders(self, node: ast.AST, names: Names) -> Iterator[SmallEdit]:
        """What is handed over, joined, listed or done in another order."""
        if isinstance(node, ast.Call):
            yield from self._exchanged(node.args, 2)
        elif isinstance(node, (ast.Tuple, ast.List)) and isinstance(node.ctx, ast.Load):
            yield from self._exchanged(node.elts, 1)
        for body in (getattr(node, field, None) for field in ("body", "orelse")):
            if not isinstance(body, list):
                continue
            for one, other in swapped(body, names):
                yield replace(self._exchange(one, other, 1), line=other.lineno)
            for one, other, new in chain(together(body, self.said), from_none(body, self.said)):
                yield self._placed(one.lineno, *self._both(one, other), new, 1)
            for one, further in indented(body):
                yield self._placed(one.lineno, *self.said.indented(one, further), 2)
            for begin, end, first, new in moved(body, names, self.said):
                line = (begin if first else end).lineno
                yield self._placed(line, *self._both(begin, end), new, 1)

    def _exchanged(self, many: Sequence[ast.expr], cost: int) -> Iterator[SmallEdit]:
        """Each two that stand side by side, in each other's place."""
        for one, other in pairwise(many):
            strings = any(isinstance(getattr(each, "value", 0), str) for each in (one, other))
            if not strings and not any(isinstance(each, ast.Starred) for each in (one, other)):
                yield self._exchange(one, other, cost)

    def _exchange(
        self, one: ast.expr | ast.stmt, other: ast.expr | ast.stmt, cost: int
    ) -> SmallEdit:
        new = self.said.bare(other) + self.said.between(one, other) + self.said.bare(one)
        return SmallEdit(one.lineno, *self._both(one, other), new, cost)

    def _both(self, one: ast.expr | ast.stmt, other: ast.expr | ast.stmt) -> tuple[int, int]:
        return self.said.span(one)[0], self.said.span(other)[1]

    def _edit(self, node: ast.expr | ast.stmt, new: str, cost: int) -> SmallEdit:
        return self._placed(node.lineno, *self.said.span(node), new, cost)

    def _placed(self, line: int, start: int, end: int, new: str, cost: int) -> SmallEdit:
        # What it leaves out may have stood on lines of its own, within brackets.
        lost = self.said.text.count("\n", start, end) - new.count("\n")
        return SmallEdit(line, start, end, new + "\n" * lost, cost)
