"""Small edits of a submission: what a slip of the pen may have made of right code.

Each changes one expression: a number, an operator, an end of a slice, the name of a method, one
name for another. As in mutation-based fault localisation (Papadakis, Le Traon 2015, Metallaxis-FL),
a line is to blame where one of them makes what went wrong right.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise

from .counts import counts
from .expressions import name_of

__all__ = ["UNREAD", "SmallEdit", "small_edits"]

# What Python says of a text that it does not read.
UNREAD = (SyntaxError, ValueError, RecursionError, MemoryError)

_COMPARED: dict[type[ast.cmpop], tuple[str, ...]] = {
    ast.Lt: ("<=", ">", ">="), ast.LtE: ("<", ">=", ">"), ast.Gt: (">=", "<", "<="),
    ast.GtE: (">", "<=", "<"), ast.Eq: ("!=",), ast.NotEq: ("==",),
}  # fmt: skip
_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "%", ast.Mod: "//",
    ast.BitAnd: "|", ast.BitOr: "&",
}  # fmt: skip
# Calls that are mistaken for each other.
_PAIRS = (
    ("sum", "cumsum"), ("repeat", "repeat_interleave"), ("tril", "triu"), ("min", "max"),
    ("argmin", "argmax"), ("any", "all"), ("sin", "cos"), ("minimum", "maximum"),
    ("logical_and", "logical_or"), ("amin", "amax"), ("floor", "ceil"), ("sqrt", "rsqrt"),
)  # fmt: skip
_OTHER = {**dict(_PAIRS), **{other: one for one, other in _PAIRS}}
# Calls that take the opposite.
_TURNING = {"logical_not", "bitwise_not", "neg", "negative"}
_MODULES = {"torch", "F", "nn", "np", "math", "self"}
# What stands in no need of parentheses.
_CLOSED = (ast.Name, ast.Attribute, ast.Constant, ast.Call, ast.Subscript)


@dataclass(frozen=True, slots=True)
class SmallEdit:
    """One edit. line: where. start, end: what it replaces, by place in the text. new: with what.

    cost: -1 where a sign changes places in a pair, which is a rotation's, 0 where a loop goes on
    in place of ending, 1 where one sign is another, 2 where a call is left out, two change places
    or an attribute is another, 3 where a name is, or what is called with it stands for the call, 4
    where it has a sign more.
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
            bound, numbers = _bound(function), counts(function)
            for node in inside:
                before = getattr(node, "lineno", 0)
                same = name_of(node) in numbers
                names = [n for n, line in bound.items() if line < before and (n in numbers) == same]
                yield from made.of(node, names)


def _bound(function: ast.FunctionDef) -> dict[str, int]:
    """The names of a function's arguments and of what it assigns, with the line that does first."""
    found: dict[str, int] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.arg):
            found[node.arg] = function.lineno - 1
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found[node.id] = min(node.lineno, found.get(node.id, node.lineno))
    return {name: line for name, line in found.items() if name not in _MODULES}


_Written = Iterator[tuple[str, int]]


class _Edits:
    """The edits of one file's expressions."""

    def __init__(self, tree: ast.AST, text: str) -> None:
        self.text = text
        self.lines = text.split("\n")
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line) + 1)
        nodes = [*ast.walk(tree)]
        calls = [node for node in nodes if isinstance(node, ast.Call)]
        called = {id(node.func) for node in calls}
        # What a call is given besides: nobody gives it the same twice.
        self.besides = {id(one): {*map(name_of, node.args)} for node in calls for one in node.args}
        # What is called, or stands within a sign or before a dot, is part of another node.
        inside = (getattr(n, "operand", None) or getattr(n, "value", None) for n in nodes
                  if isinstance(n, (ast.UnaryOp, ast.Attribute)))  # fmt: skip
        inner = {id(one) for one in inside if isinstance(one, (ast.Constant, ast.Attribute))}
        self.parts = called | inner
        classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
        self.classes = {id(node): one.name for one in classes for node in ast.walk(one)}
        self.attributes: dict[tuple[str, str], set[str]] = {}
        for node in nodes:
            if isinstance(node, ast.Attribute) and id(node) not in called:
                self.attributes.setdefault(self._owner(node), set()).add(node.attr)

    def of(self, node: ast.AST, names: Sequence[str]) -> Iterator[SmallEdit]:
        """The edits of one node. names: those that may stand for each other around it."""
        if isinstance(node, (ast.Break, ast.Continue)):
            other = "continue" if isinstance(node, ast.Break) else "pass"
            yield self._edit(node, other, 0)
        elif isinstance(node, ast.expr):
            for new, cost in self._rewritten(node, names):
                yield self._edit(node, new, cost)
        if isinstance(node, ast.Call) and name_of(node.func) == "einsum" and node.args:
            yield from self._lettered(node.args[0])
        many = node.args if isinstance(node, ast.Call) else getattr(node, "elts", ())
        if not isinstance(getattr(node, "ctx", None), ast.Store):
            # What is joined in a list has an order, as what is called has.
            yield from self._exchanged(many, 2 if isinstance(node, ast.Call) else 1)

    def _lettered(self, node: ast.expr) -> Iterator[SmallEdit]:
        """What an einsum says, two letters of one operand in each other's place."""
        said = node.value if isinstance(node, ast.Constant) else None
        if not isinstance(said, str):
            return
        for at in range(len(said) - 1):
            pair = said[at : at + 2]
            if pair.isalpha():
                yield self._edit(node, repr(said[:at] + pair[::-1] + said[at + 2 :]), 1)

    def _edit(self, node: ast.expr | ast.stmt, new: str, cost: int) -> SmallEdit:
        start, end = self._span(node)
        return SmallEdit(node.lineno, start, end, new, cost)

    def _owner(self, node: ast.Attribute) -> tuple[str, str]:
        """Whose attribute it is: of `self` in each class another's."""
        name = name_of(node.value)
        return (self.classes.get(id(node), "") if name == "self" else "", name)

    def _span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        ends = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
        start, end = (self._place(line, column) for line, column in ends)
        return start, end

    def _place(self, line: int, column: int) -> int:
        """Where a byte of a line stands in the text."""
        row = self.lines[line - 1]
        column = column if row.isascii() else len(row.encode()[:column].decode())
        return self.starts[line - 1] + column

    def _said(self, node: ast.expr, *closed: type[ast.expr]) -> str:
        """What a node says, in parentheses where it may need them; kinds that do not are closed."""
        start, end = self._span(node)
        said = self.text[start:end]
        return said if isinstance(node, (*_CLOSED, *closed)) else f"({said})"

    def _rewritten(self, node: ast.expr, names: Sequence[str]) -> _Written:
        match node:
            case ast.Constant(value=bool()):
                yield str(not node.value), 1
            case ast.Constant(value=int() as value) if id(node) not in self.parts:
                yield from ((str(n), 1) for n in {value + 1, value - 1, -value, 0} - {value})
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as value)):
                yield from ((str(n), 1) for n in (1 - value, -1 - value, value))
            case ast.UnaryOp(op=ast.USub() | ast.Invert() | ast.Not()):
                yield self._said(node.operand), 1
            case ast.Compare(ops=[operator], comparators=[right]):
                # All that calculates is done before it compares.
                left, right = (
                    self._said(one, ast.BinOp, ast.UnaryOp) for one in (node.left, right)
                )
                yield from ((f"{left} {n} {right}", 1) for n in _COMPARED.get(type(operator), ()))
            case ast.BinOp():
                yield from self._operated(node)
            case ast.Slice(lower=lower, upper=upper, step=None):
                yield from self._cut(lower, upper)
            case ast.Call():
                yield from self._called(node)
            case ast.Tuple(elts=[first, second]) if isinstance(node.ctx, ast.Load):
                yield from self._sign_moved(first, second)
            case ast.Name(ctx=ast.Load()) if id(node) not in self.parts and node.id in names:
                signs = ("({0} + 1)", "({0} - 1)", "(1 - {0})", "(~{0})")
                yield from ((sign.format(node.id), 4) for sign in signs)
                besides = {node.id} | self.besides.get(id(node), set())
                yield from ((other, 3) for other in names if other not in besides)
            case ast.Attribute(ctx=ast.Load(), value=ast.Name(id=owner)) if (
                id(node) not in self.parts
            ):
                others = sorted(self.attributes[self._owner(node)] - {node.attr})
                yield from ((f"{owner}.{other}", 2) for other in others)
            case _:
                return

    def _operated(self, node: ast.BinOp) -> _Written:
        left, right = self._said(node.left), self._said(node.right)
        if type(node.op) in _OPERATORS:
            yield f"({left} {_OPERATORS[type(node.op)]} {right})", 1
        if isinstance(node.op, ast.FloorDiv):
            yield f"-(-{left} // {right})", 1
        if isinstance(node.op, ast.Sub):
            yield f"({right} - {left})", 1
        if isinstance(node.right, ast.Constant):
            yield left, 1
        if isinstance(node.left, ast.Constant):
            yield right, 1

    def _cut(self, lower: ast.expr | None, upper: ast.expr | None) -> _Written:
        """The other end of what has one, or as far from it."""
        end = lower or upper
        if end is None or (lower and upper):
            return
        signed = isinstance(end, ast.UnaryOp) and isinstance(end.op, ast.USub)
        far = self._said(end.operand if isinstance(end, ast.UnaryOp) and signed else end)
        mine = ("-" if signed else "", lower is not None)
        for sign in ("", "-"):
            for begins in (True, False):
                if (sign, begins) != mine:
                    yield (f"{sign}{far}:" if begins else f":{sign}{far}"), 1

    def _called(self, node: ast.Call) -> _Written:
        name = name_of(node.func)
        start, end = self._span(node)
        func = self._span(node.func)
        if name in _OTHER:
            yield (
                self.text[start : func[1] - len(name)] + _OTHER[name] + self.text[func[1] : end],
                1,
            )
        if not isinstance(node.func, ast.Attribute):
            return
        if name_of(node.func.value) in _MODULES:
            if node.args and not isinstance(node.args[0], ast.Starred):
                yield self._said(node.args[0]), 3
            return
        if name in {"max", "min"} and not (node.args or node.keywords):
            yield f"{self._said(node.func.value)}.a{name}(-1, keepdim=True)", 1
        if name not in {"float", "to", "contiguous"}:
            yield self._said(node.func.value), 1 if name in _TURNING else 2

    def _sign_moved(self, first: ast.expr, second: ast.expr) -> _Written:
        match first, second:
            case ast.UnaryOp(op=ast.USub(), operand=operand), _:
                yield f"({self._said(operand)}, -{self._said(second)})", -1
            case _, ast.UnaryOp(op=ast.USub(), operand=operand):
                yield f"(-{self._said(first)}, {self._said(operand)})", -1
            case _:
                return

    def _exchanged(self, many: Sequence[ast.expr], cost: int) -> Iterator[SmallEdit]:
        """Two that stand side by side, each in the other's place."""
        for one, other in pairwise(many):
            strings = any(isinstance(getattr(each, "value", 0), str) for each in (one, other))
            if not strings and not any(isinstance(each, ast.Starred) for each in (one, other)):
                (start, behind), (before, end) = self._span(one), self._span(other)
                texts = (self.text[before:end], self.text[behind:before], self.text[start:behind])
                yield SmallEdit(one.lineno, start, end, "".join(texts), cost)
