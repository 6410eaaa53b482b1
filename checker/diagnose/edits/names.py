"""The names around an expression: which of them may stand for which."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from ..expressions import name_of, of_self
from ..loops import stored
from .counts import counts

__all__ = ["MODULES", "NO_NAMES", "Attributes", "Names", "names_in", "read_in", "unread"]

# What is called through these is no method of a tensor.
MODULES = {"torch", "F", "nn", "np", "math", "self", "functional", "tl", "linalg", "einops"}
# Of how many that are said with a name an edit may put one there.
_SAID = 3
# Methods that are called by nothing of the file's.
_CALLED_BY_OTHERS = {"__init__", "__call__", "forward", "backward", "setup_context"}
# What is made of a class and is a tensor.
_TENSORS = {"Parameter", "Buffer"}


class Names(NamedTuple):
    """The names around a node.

    bound: those of its function, in their order. known: those that are bound before it. numbers:
    those that stand for numbers. newer: what is made of each, the last. making: whether an object
    is being made.
    """

    bound: Mapping[str, int]
    known: AbstractSet[str]
    numbers: AbstractSet[str]
    newer: Mapping[str, str]
    making: bool
    # Those that are assigned, and that nothing reads, and those that a branch asks for.
    left: AbstractSet[str] = frozenset()
    asked: AbstractSet[str] = frozenset()
    # Those that slices begin at.
    begins: AbstractSet[str] = frozenset()
    # What stands elsewhere of what each name is picked by, or what is made of it alone.
    within: Mapping[str, Sequence[str]] = {}

    def before(self, line: int) -> Names:
        """The same around what stands on a line."""
        return self._replace(known={n for n, first in self.bound.items() if first < line})

    def like(self, name: str) -> Iterator[str]:
        """Those that may stand for another one."""
        counts = name in self.numbers
        return (n for n in self.bound if n in self.known and (n in self.numbers) == counts)

    def counting(self, *but: str) -> Iterator[str]:
        """Those that stand for numbers."""
        return (n for n in self.bound if n in self.known and n in self.numbers and n not in but)


# What is known outside of all functions.
NO_NAMES = Names({}, frozenset(), frozenset(), {}, making=False)


def names_in(function: ast.FunctionDef) -> Names:
    """The names of a function's arguments and of what it assigns."""
    bound: dict[str, int] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.arg):
            bound[node.arg] = function.lineno - 1
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound[node.id] = min(node.lineno, bound.get(node.id, node.lineno))
    # What is gone through within an expression is known on its first line.
    listed = (one.target for one in ast.walk(function) if isinstance(one, ast.comprehension))
    inner = {name for target in listed for name in stored(target)}
    bound |= {name: min(bound[name], function.lineno) for name in inner}
    # What is called `_` is nobody's to use.
    bound = {n: line for n, line in bound.items() if n not in MODULES and n.strip("_")}
    making = function.name == "__init__"
    assigned = (node for node in ast.walk(function) if isinstance(node, ast.Assign))
    targets = (target for node in assigned for target in node.targets)
    left = {name for target in targets for name in stored(target) if name[:1] != "_"}
    left -= {one.id for one in read_in(function)}
    asked = {one.id for one in map(_asked, ast.walk(function)) if isinstance(one, ast.Name)}
    return Names(
        bound, {*bound}, counts(function), _newer(function), making, left, asked,
        _begins(function), _within(function),
    )  # fmt: skip


def unread(function: ast.FunctionDef) -> list[str]:
    """The arguments of a helper that it does not read; what others call may take what it likes."""
    given = [one.arg for one in function.args.args if one.arg not in {"self", "cls"}]
    read = {one.id for one in read_in(function)}
    return [] if function.name in _CALLED_BY_OTHERS else [one for one in given if one not in read]


def _begins(function: ast.FunctionDef) -> set[str]:
    """The names that slices begin at."""
    lower = (one.lower for one in ast.walk(function) if isinstance(one, ast.Slice))
    return {one.id for one in lower if isinstance(one, ast.Name)}


def _within(function: ast.FunctionDef) -> dict[str, Sequence[str]]:
    """What a function says with one name: `table[page]`, `norm(x)`, `x.exp()`; not what many do."""
    found: dict[str, list[str]] = {}
    for node in ast.walk(function):
        match node:
            case (
                ast.Subscript(slice=ast.Name(id=name), ctx=ast.Load())
                | ast.Call(args=[ast.Name(id=name)], keywords=[])
                | ast.Call(func=ast.Attribute(value=ast.Name(id=name)), args=[], keywords=[])
            ):
                found.setdefault(name, []).append(ast.unparse(node))
            case _:
                continue
    return {name: [*dict.fromkeys(many)][:_SAID] for name, many in found.items()}


def _asked(node: ast.AST) -> ast.AST | None:
    """What a branch asks for, or whether it does not hold."""
    test = getattr(node, "test", None)
    return test.operand if isinstance(test, ast.UnaryOp) else test


def read_in(node: ast.AST) -> list[ast.Name]:
    """The names that a node reads."""
    names = (one for one in ast.walk(node) if isinstance(one, ast.Name))
    return [one for one in names if isinstance(one.ctx, ast.Load)]


def _newer(function: ast.FunctionDef) -> dict[str, str]:
    found: dict[str, str] = {}
    assigned = [node for node in ast.walk(function) if isinstance(node, ast.Assign)]
    for node in sorted(assigned, key=lambda one: one.lineno):
        match node.targets:
            case [ast.Name(id=made)]:
                read = (one.id for one in read_in(node.value))
                found |= {name: made for name in read if name != made}
            case _:
                continue
    return found


class Attributes:
    """The attributes of a file's objects: layers, weights, and all others."""

    def __init__(self, nodes: Sequence[ast.AST]) -> None:
        classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
        self.classes = {id(node): one.name for one in classes for node in ast.walk(one)}
        self.kinds = {name: kind for node in nodes for name, kind in _made(node)}
        self.unread = {one.name: sorted(_unread(one)) for one in classes}
        called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
        self.held: dict[tuple[str, str], set[str]] = {}
        for node in nodes:
            if isinstance(node, ast.Attribute) and id(node) not in called:
                self.held.setdefault(self._owner(node), set()).add(node.attr)

    def left(self, node: ast.AST, *, layers: bool) -> list[str]:
        """The attributes of an object that its class sets and never reads: layers, or others."""
        kept = self.unread.get(self.classes.get(id(node), ""), ())
        return [one for one in kept if (self.kinds.get(one) == "layer") == layers]

    def like(self, node: ast.Attribute) -> list[str]:
        """Those that may stand for another one of the same object."""
        kind = self.kinds.get(node.attr)
        others = self.held[self._owner(node)] - {node.attr}
        return sorted(one for one in others if self.kinds.get(one) == kind)

    def _owner(self, node: ast.Attribute) -> tuple[str, str]:
        """Whose attribute it is: of `self` in each class another's."""
        name = name_of(node.value)
        return (self.classes.get(id(node), "") if name == "self" else "", name)


def _unread(owner: ast.ClassDef) -> set[str]:
    """The attributes that a class sets, or has as a record's fields, and never reads."""
    own = [node for node in ast.walk(owner) if isinstance(node, ast.Attribute) and of_self(node)]
    kept = {node.attr for node in own if isinstance(node.ctx, ast.Store)}
    fields = (row.target for row in owner.body if isinstance(row, ast.AnnAssign))
    kept |= {field.id for field in fields if isinstance(field, ast.Name)}
    return kept - {node.attr for node in own if not isinstance(node.ctx, ast.Store)}


def _made(node: ast.AST) -> Iterator[tuple[str, str]]:
    """The attributes that a statement makes of a class, and whether these are layers or weights."""
    match node:
        case ast.Assign(targets=targets, value=ast.Call(func=made)) if name_of(made)[:1].isupper():
            kind = "weight" if name_of(made) in _TENSORS else "layer"
            yield from ((one.attr, kind) for one in targets if isinstance(one, ast.Attribute))
        case _:
            return
