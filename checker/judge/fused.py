"""The model answer with torch's fused kernel where it has attention's steps.

A kata names one statement with the kernel in it. It takes the place of the model answer's own
that binds the same name, and what nothing needs any more goes, so that the rest, projections
and all, stays what it is held against.
"""

from __future__ import annotations

import ast
from copy import copy

from ...kata.catalogue import Kata

__all__ = ["fused_source"]


def fused_source(kata: Kata) -> str | None:
    """Return the model answer's text with the fused kernel; None where there is none."""
    if not kata.fused:
        return None
    tree = ast.parse(kata.solution())
    (kernel,) = ast.parse(kata.fused.strip()).body
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            places = [n for n, one in enumerate(function.body) if _bound(one) == _bound(kernel)]
            if places and function.name in {*kata.timed, "forward"}:
                function.body[places[-1]] = kernel
                function.body = _needed(function.body, _live(function))
    return ast.unparse(ast.fix_missing_locations(tree))


def _bound(statement: ast.stmt) -> set[str] | None:
    """The names that a statement binds; of a `return` none, and of others None."""
    if isinstance(statement, ast.Return):
        return set()
    if isinstance(statement, ast.Assign):
        return {n.id for one in statement.targets for n in ast.walk(one) if isinstance(n, ast.Name)}
    return None


def _live(function: ast.FunctionDef) -> set[str]:
    """The names that the result of a function depends on."""
    live: set[str] = set()
    while True:
        kept = _needed(function.body, live)
        read = {
            node.id
            for one in kept
            for node in ast.walk(one)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        }
        if read <= live:
            return live
        live |= read


def _needed(body: list[ast.stmt], live: set[str]) -> list[ast.stmt]:
    """The statements that bind a live name, and those that bind none."""
    kept: list[ast.stmt] = []
    for one in body:
        if isinstance(one, (ast.If, ast.For)):
            inner, other = _needed(one.body, live), _needed(one.orelse, live)
            if inner or other:
                less = copy(one)
                less.body, less.orelse = inner or [ast.Pass()], other
                kept.append(less)
        else:
            bound = _bound(one)
            kept += [one] if not bound or bound & live else []
    return kept
