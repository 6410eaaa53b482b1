"""What passes share: code as text and as a tree, and what a file's imports are called."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import cache
from typing import Any, TypeVar

import libcst as cst

from .marks import marks

__all__ = [
    "Imports", "Sites", "arguments", "bare", "code", "dotted", "each", "expression", "identifiers",
    "imported", "operand", "plain", "tidy",
]  # fmt: skip

_EMPTY = cst.Module(body=[])
_ATOMS = (cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.Integer, cst.Float)
_BRACKETED = (cst.Tuple, cst.GeneratorExp, cst.Yield, cst.NamedExpr)
Node = TypeVar("Node", bound=cst.CSTNode)


def code(node: cst.CSTNode) -> str:
    """Return the text of a node, without the space around it."""
    return _EMPTY.code_for_node(node).strip()


def expression(text: str) -> cst.BaseExpression:
    """Return the tree of an expression."""
    return cst.parse_expression(text)


def operand(node: cst.BaseExpression) -> str:
    """Return a node's text as it may stand beside any operator or before a dot."""
    text = code(node)
    atom = isinstance(node, _ATOMS) and not isinstance(node, (cst.Integer, cst.Float))
    return text if node.lpar or atom else f"({text})"


def plain(node: cst.BaseExpression) -> str:
    """Return a node's text without the brackets around it, as an argument has it."""
    return code(bare(node))


def arguments(call: cst.Call, *names: str) -> dict[str, cst.BaseExpression] | None:
    """Return a call's arguments by name, in the order of names; None where it has others."""
    found: dict[str, cst.BaseExpression] = {}
    for place, argument in enumerate(call.args):
        name = argument.keyword.value if argument.keyword else "".join(names[place : place + 1])
        if argument.star or name not in names or name in found:
            return None
        found[name] = argument.value
    return found


def dotted(node: cst.CSTNode) -> str | None:
    """Return `a.b.c` for names joined by dots; None for anything else."""
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, cst.Attribute):
        left = dotted(node.value)
        return f"{left}.{node.attr.value}" if left else None
    return None


def identifiers(module: cst.Module) -> set[str]:
    """Return every name that stands anywhere in a module, and those that Python has."""
    names = {found.value for found in each(module, cst.Name)}
    return names | set(dir(builtins)) | set(keyword.kwlist) | set(keyword.softkwlist)


def each(node: cst.CSTNode, kind: type[Node]) -> Iterator[Node]:
    """Yield a piece of code's nodes of a kind, itself included, in the order of the text."""
    if isinstance(node, kind):
        yield node
    for name in _parts(type(node)):
        held = getattr(node, name)
        for child in held if isinstance(held, (list, tuple)) else (held,):
            if isinstance(child, cst.CSTNode):
                yield from each(child, kind)


@cache
def _parts(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    """Return the fields of a kind of node. (Its `children` are found by a visit, which is slow.)"""
    return tuple(field.name for field in fields(kind))


def imported(module: cst.Module, line: str) -> cst.Module:
    """Put an import behind those of the file, where it is not there."""
    if line in module.code:
        return module
    body = [*module.body]
    imports = [
        place for place, one in enumerate(body)
        if isinstance(one, cst.SimpleStatementLine)
        and isinstance(one.body[0], (cst.Import, cst.ImportFrom))
    ]  # fmt: skip
    body.insert(imports[-1] + 1 if imports else 0, cst.parse_statement(line))
    return module.with_changes(body=body)


def tidy(module: cst.Module) -> cst.Module:
    """Return a module without brackets around what stands alone: a value, an argument."""
    return module.visit(_Tidy())


class _Tidy(cst.CSTTransformer):
    def leave_Assign(self, original_node: cst.Assign, updated_node: cst.Assign) -> cst.Assign:
        return updated_node.with_changes(value=bare(updated_node.value))

    def leave_Return(self, original_node: cst.Return, updated_node: cst.Return) -> cst.Return:
        value = updated_node.value
        return updated_node.with_changes(value=bare(value)) if value else updated_node

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return updated_node.with_changes(value=bare(updated_node.value))


def bare(node: cst.BaseExpression) -> cst.BaseExpression:
    """Return an expression without the brackets around it, where it means the same alone."""
    if not node.lpar or isinstance(node, _BRACKETED) or "\n" in code(node):
        return node
    return node.with_changes(lpar=[], rpar=[])


class Sites(cst.CSTTransformer):
    """Writes expressions otherwise, wherever `change` has a text for one.

    change is given an expression without the brackets around it. What would lose a mark stays as
    it was; and all that stands in a statement with a followed line, where followed is false.
    """

    def __init__(
        self, change: Callable[[cst.BaseExpression], str | None], *, followed: bool = True
    ) -> None:
        super().__init__()
        self._change = change
        self._followed = followed
        self._stays = False

    def visit_SimpleStatementLine(self, node: cst.SimpleStatementLine) -> None:
        """Notice whether what follows stays as it is."""
        self._stays = not self._followed and bool(marks(code(node)))

    def on_leave(self, original_node: Any, updated_node: Any) -> Any:
        """Change an expression after those that it is made of."""
        node = super().on_leave(original_node, updated_node)
        if self._stays or not isinstance(node, cst.BaseExpression):
            return node
        if isinstance(node, (cst.Name, *_BRACKETED)):
            return node
        text = self._change(node.with_changes(lpar=[], rpar=[]) if node.lpar else node)
        if text is None:
            return node
        made = expression(text)
        if not isinstance(made, _ATOMS) and not made.lpar:
            made = expression(f"({text})")
        return made if marks(code(node)) == marks(code(made)) else node


class Imports:
    """What a module's imports are called: `F` for torch.nn.functional, say."""

    def __init__(self, module: cst.Module) -> None:
        self._called: dict[str, str] = {}
        for line in module.body:
            if isinstance(line, cst.SimpleStatementLine):
                for statement in line.body:
                    self._read(statement)

    def _read(self, statement: cst.BaseSmallStatement) -> None:
        if isinstance(statement, cst.Import):
            for alias in statement.names:
                whole = dotted(alias.name) or ""
                root = whole.split(".", 1)[0]
                called = alias.evaluated_alias
                self._called[called or root] = whole if called else root
        elif isinstance(statement, cst.ImportFrom) and statement.module and not statement.relative:
            if isinstance(statement.names, cst.ImportStar):
                return
            for alias in statement.names:
                called = alias.evaluated_alias or alias.evaluated_name
                self._called[called] = f"{dotted(statement.module)}.{alias.evaluated_name}"

    def whole(self, node: cst.CSTNode) -> str | None:
        """Return the full name of what a node means, `torch.nn.functional.softmax`, or None."""
        name = dotted(node)
        if name is None:
            return None
        root, *rest = name.split(".")
        return ".".join([self._called[root], *rest]) if root in self._called else None

    def called(self, whole: str) -> str | None:
        """Return the shortest way in which the file can say a full name, or None."""
        ways = [
            f"{called}{whole[len(meant) :]}"
            for called, meant in self._called.items()
            if whole == meant or whole.startswith(f"{meant}.")
        ]
        return min(ways, key=len) if ways else None
