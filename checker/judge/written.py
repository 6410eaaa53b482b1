"""What of a submission is not written yet: a body that does nothing, or says so itself."""

from __future__ import annotations

import ast

from ..process.answers import Raised
from .source import Source

__all__ = ["Function", "function_at", "hollow", "name_at", "unwritten", "within"]

Function = ast.FunctionDef | ast.AsyncFunctionDef


def function_at(source: Source, line: int | None) -> Function | None:
    """The innermost function that a line of it, or of its decorators, belongs to."""
    found = [
        node
        for node in ast.walk(source.tree)
        if line is not None
        and isinstance(node, Function)
        and min([node.lineno, *(one.lineno for one in node.decorator_list)])
        <= line
        <= (node.end_lineno or node.lineno)
    ]
    return max(found, key=lambda node: node.lineno, default=None)


def name_at(source: Source, line: int | None) -> str:
    """The name of the function that a line belongs to, nothing where it belongs to none."""
    own = function_at(source, line)
    return own.name if own is not None else ""


def hollow(source: Source, line: int | None) -> int | None:
    """The line that stands where a function has to be written; None where it is written.

    line: one of the function's.
    """
    node = function_at(source, line)
    if node is None or not all(map(_nothing, node.body)):
        return None
    return node.body[-1].lineno


def _nothing(statement: ast.stmt) -> bool:
    """Whether a statement does nothing: `pass`, `...`, a docstring, NotImplementedError."""
    if isinstance(statement, ast.Pass):
        return True
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    if isinstance(statement, ast.Raise):
        raised = statement.exc.func if isinstance(statement.exc, ast.Call) else statement.exc
        return _stands_in(raised)
    if isinstance(statement, ast.Return):
        value = statement.value
        return value is None or _stands_in(value)
    return False


def _stands_in(value: ast.expr | None) -> bool:
    if isinstance(value, ast.Constant):
        return value.value is None or value.value is ...
    return getattr(value, "id", "") in {"NotImplementedError", "NotImplemented"}


def within(line: int, function: Function) -> bool:
    """Whether a line stands in a function."""
    return function.lineno <= line <= (function.end_lineno or function.lineno)


def unwritten(fault: Raised, source: Source) -> int | None:
    """The line at which a submission itself says that it is not written yet."""
    line = fault.line
    said = "NotImplementedError" in fault.kinds
    # torch raises it too, for what a device or a dtype has not.
    return line if said and "NotImplementedError" in source.line(line) else None
