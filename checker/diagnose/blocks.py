"""What constructors make of the parts of a model, and whether these are called in their turn."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TypeGuard

from .expressions import name_of, of_self, span

__all__ = [
    "Function",
    "applied",
    "approximate",
    "constructed",
    "copied",
    "default_eps",
    "is_constructor",
    "is_round",
    "multiplied_line",
    "outside",
    "shared",
    "twice",
    "wrapped",
]

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_ROUNDS = (ast.ListComp, ast.GeneratorExp, ast.For, ast.While)


def constructed(tree: ast.AST, ran: set[int]) -> list[Function]:
    """The constructors of the classes in which some of these lines stand."""
    return [
        method
        for one in ast.walk(tree) if isinstance(one, ast.ClassDef)
        if ran & {*span(one)}
        for method in one.body
        if is_constructor(method)
    ]  # fmt: skip


def outside(tree: ast.AST, lines: Sequence[int]) -> int:
    """The innermost line of the class that was called, and of none that it makes use of."""
    owners = [one for one in ast.walk(tree) if isinstance(one, ast.ClassDef)]
    own = {n for one in owners if lines[-1] in span(one) for n in span(one)}
    return next((line for line in lines if line in own), lines[-1])


def is_constructor(node: ast.AST) -> TypeGuard[ast.FunctionDef]:
    """Whether a node defines an `__init__`."""
    return isinstance(node, ast.FunctionDef) and node.name == "__init__"


def is_round(node: ast.AST) -> bool:
    """Whether what stands in a node is done again and again."""
    return isinstance(node, _ROUNDS)


def shared(constructors: Sequence[Function]) -> Iterator[int]:
    """Where a module that was made once gets into several places: `[block] * n`, or in a loop."""
    for function in constructors:
        made = {
            target.id
            for node in ast.walk(function) if isinstance(node, ast.Assign) and _makes(node.value)
            for target in node.targets if isinstance(target, ast.Name)
        }  # fmt: skip
        for node in ast.walk(function):
            many = _multiplied(node)
            yield from (one.lineno for one in many if _makes(one) or name_of(one) in made)
            if isinstance(node, _ROUNDS):
                own = {name_of(one) for one in ast.walk(node) if _bound(one)}
                yield from (
                    one.lineno for one in ast.walk(node)
                    if isinstance(one, ast.Name) and one.id in made - own
                )  # fmt: skip


def wrapped(constructors: Sequence[Function]) -> Iterator[int]:
    """Where a tensor that was made once becomes the memory of a parameter for another time."""
    for function in constructors:
        before: set[str] = set()
        for node in ast.walk(function):
            if isinstance(node, _ROUNDS):
                own = {name_of(one) for one in ast.walk(node) if _bound(one)}
                calls = (one for one in ast.walk(node) if isinstance(one, ast.Call))
                yield from (one.lineno for one in calls if _wrapped(one) not in {"", *own})
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and (told := _wrapped(node)):
                if told in before:
                    yield node.lineno
                before.add(told)
            if isinstance(node, ast.Assign) and name_of(node.value) == "data":
                yield from (node.lineno for one in node.targets if name_of(one) == "data")


def _wrapped(call: ast.Call) -> str:
    """What a call makes a parameter of, where that has a name."""
    if name_of(call.func) != "Parameter" or not call.args:
        return ""
    first = call.args[0]
    return ast.unparse(first) if isinstance(first, (ast.Name, ast.Attribute)) else ""


def multiplied_line(tree: ast.AST) -> int | None:
    """The line on which a list of what was made once is multiplied; None for none."""
    for node in ast.walk(tree):
        many = _multiplied(node)
        if isinstance(node, ast.BinOp) and any(isinstance(one, ast.Call) for one in many):
            return node.lineno
    return None


def copied(constructors: Sequence[Function]) -> Iterator[int]:
    """Where a constructor sets a weight's numbers."""
    for node in (one for function in constructors for one in ast.walk(function)):
        if isinstance(node, ast.Attribute) and node.attr == "data" and type(node.ctx) is ast.Store:
            yield node.lineno
        if isinstance(node, ast.Call) and name_of(node.func) == "copy_":
            yield node.lineno


def default_eps(constructors: Sequence[Function]) -> Iterator[int]:
    """Where torch's RMSNorm is made without an eps: it is the dtype's machine epsilon then."""
    for node in (one for function in constructors for one in ast.walk(function)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            told = len(node.args) > 1 or any(one.arg == "eps" for one in node.keywords)
            if node.func.attr == "RMSNorm" and not told:
                yield node.lineno


def approximate(constructors: Sequence[Function]) -> Iterator[int]:
    """Where a constructor makes what is told to be approximate, as a GELU may be."""
    for node in (one for function in constructors for one in ast.walk(function)):
        if isinstance(node, ast.Call) and any(one.arg == "approximate" for one in node.keywords):
            yield node.lineno


def applied(functions: Sequence[Function]) -> Iterator[int]:
    """Where parts of `self` are called otherwise than each in its turn."""
    for function in functions:
        for loop in (node for node in ast.walk(function) if isinstance(node, ast.For)):
            yield from _order(loop)
            yield from (node.lineno for node in loop.body if _unread(node, loop))
            yield from (
                call.lineno
                for call in ast.walk(loop) if isinstance(call, ast.Call)
                if _same_again(call.func, loop)
            )  # fmt: skip
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and _one_of(node.func):
                yield node.lineno


def _multiplied(node: ast.AST) -> list[ast.expr]:
    """What stands in a list that a node multiplies."""
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)):
        return []
    lists = [one for one in (node.left, node.right) if isinstance(one, ast.List)]
    return [element for one in lists for element in one.elts]


def _order(loop: ast.For) -> Iterator[int]:
    """A loop over a part of what there is or backwards, and the test on which it skips one."""
    if any(isinstance(one, ast.Slice) or name_of(one) == "reversed" for one in ast.walk(loop.iter)):
        yield loop.lineno
    for node in loop.body:
        if isinstance(node, (ast.If, ast.Break)):
            yield node.lineno


def _unread(node: ast.stmt, loop: ast.For) -> bool:
    """Whether what a loop goes through is called with something else than what it gives."""
    if not (isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)):
        return False
    taken = {name_of(one) for arg in node.value.args for one in ast.walk(arg)}
    given = {name_of(one) for target in node.targets for one in ast.walk(target)} - {""}
    return name_of(node.value.func) == name_of(loop.target) != "" and not taken & given


def _same_again(called: ast.expr, loop: ast.For) -> bool:
    """Whether a loop calls an attribute of `self` that is the same in each round."""
    own, calls = name_of(loop.target), [one for one in ast.walk(loop) if isinstance(one, ast.Call)]
    # What wraps a call of the loop's own is a norm that is put behind each.
    return of_self(called) and not any(name_of(one.func) == own != "" for one in calls)


def _one_of(called: ast.expr) -> bool:
    """Whether it is an entry of a list, by a number that is written there: `self.blocks[0]`."""
    if not (isinstance(called, ast.Subscript) and isinstance(called.value, ast.Attribute)):
        return False
    at = called.slice
    at = at.operand if isinstance(at, ast.UnaryOp) else at
    return isinstance(at, ast.Constant)


def _bound(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _makes(node: ast.expr) -> bool:
    """Whether a call makes an object: classes begin with a capital."""
    return isinstance(node, ast.Call) and name_of(node.func)[:1].isupper()


def twice(constructors: Sequence[Function]) -> Iterator[int]:
    """Where a norm gets a second name, or the one that is made is named again."""
    for function in constructors:
        nodes = [*ast.walk(function)]
        yield from (
            node.lineno for node in nodes
            if isinstance(node, ast.Assign) and sum(map(of_self, node.targets)) > 1
            and isinstance(node.value, ast.Call)
        )  # fmt: skip
        own = {
            name_of(target)
            for node in nodes if isinstance(node, ast.Assign) and _norm(node.value)
            for target in node.targets if of_self(target)
        }  # fmt: skip
        yield from (
            node.lineno for node in nodes
            if isinstance(node, ast.Assign) and of_self(node.value)
            and name_of(node.value) in own and any(map(of_self, node.targets))
        )  # fmt: skip
        made = {
            name_of(target)
            for node in nodes if isinstance(node, ast.Assign) and _norm(node.value)
            for target in node.targets if isinstance(target, ast.Name)
        }  # fmt: skip
        names = [one for one in nodes if isinstance(one, ast.Name) and one.id in made]
        for name in made:
            loads = [one for one in names if one.id == name and type(one.ctx) is ast.Load]
            # What is named in a loop is named in each of its rounds.
            rounds = {part for node in nodes if is_round(node) for part in ast.walk(node)}
            yield from (one.lineno for one in loads if one in rounds)
            yield from sorted(one.lineno for one in loads)[1:]


def _norm(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and "norm" in name_of(node.func).lower()
