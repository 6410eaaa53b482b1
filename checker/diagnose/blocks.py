"""Where the parts of a model that are alike are made of one, or not called one after another."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

__all__ = ["Function", "applied", "constructed", "shared"]

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_ROUNDS = (ast.ListComp, ast.GeneratorExp, ast.For, ast.While)


def constructed(tree: ast.AST, ran: set[int]) -> list[Function]:
    """The constructors of the classes in which some of these lines stand."""
    return [
        method
        for one in ast.walk(tree) if isinstance(one, ast.ClassDef)
        if ran & {*range(one.lineno, (one.end_lineno or one.lineno) + 1)}
        for method in one.body
        if isinstance(method, ast.FunctionDef) and method.name == "__init__"
    ]  # fmt: skip


def shared(constructors: Sequence[Function]) -> Iterator[int]:
    """Where a module that was made once gets into several places: `[block] * n`, or in a loop."""
    for function in constructors:
        made = {
            target.id
            for node in ast.walk(function) if isinstance(node, ast.Assign) and _makes(node.value)
            for target in node.targets if isinstance(target, ast.Name)
        }  # fmt: skip
        for node in ast.walk(function):
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
                lists = [one for one in (node.left, node.right) if isinstance(one, ast.List)]
                many = [one for each in lists for one in each.elts]
                yield from (one.lineno for one in many if _makes(one) or _name(one) in made)
            elif isinstance(node, _ROUNDS):
                own = {_name(one) for one in ast.walk(node) if _bound(one)}
                yield from (
                    one.lineno for one in ast.walk(node)
                    if isinstance(one, ast.Name) and one.id in made - own
                )  # fmt: skip


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


def _order(loop: ast.For) -> Iterator[int]:
    """A loop over a part of what there is or backwards, and the test on which it skips one."""
    if any(isinstance(one, ast.Slice) or _name(one) == "reversed" for one in ast.walk(loop.iter)):
        yield loop.lineno
    for node in loop.body:
        if isinstance(node, (ast.If, ast.Break)):
            yield node.lineno


def _unread(node: ast.stmt, loop: ast.For) -> bool:
    """Whether what a loop goes through is called with something else than what it gives."""
    if not (isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)):
        return False
    taken = {_name(one) for arg in node.value.args for one in ast.walk(arg)}
    given = {_name(one) for target in node.targets for one in ast.walk(target)} - {""}
    return _name(node.value.func) == _name(loop.target) != "" and not taken & given


def _same_again(called: ast.expr, loop: ast.For) -> bool:
    """Whether a loop calls an attribute of `self` that is the same in each round."""
    of_self = isinstance(called, ast.Attribute) and _name(called.value) == "self"
    calls = [one for one in ast.walk(loop) if isinstance(one, ast.Call)]
    # What wraps a call of the loop's own is a norm that is put behind each.
    return of_self and not any(_name(one.func) == _name(loop.target) != "" for one in calls)


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
    return isinstance(node, ast.Call) and _name(node.func)[:1].isupper()


def _name(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
