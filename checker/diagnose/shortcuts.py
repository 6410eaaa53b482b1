"""A branch that returns early: the calls that go wrong take it, and those that are right do not."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from .expressions import span

__all__ = ["shortcut"]


def shortcut(tree: ast.AST, wrong: Sequence[set[int]], right: Sequence[set[int]]) -> ast.If | None:
    """The innermost such branch. wrong, right: of each call the lines that made tensors."""
    found = [
        branch
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef) and all(ran & {*span(function)} for ran in right)
        for branch in ast.walk(function)
        if isinstance(branch, ast.If) and isinstance(branch.body[-1], ast.Return)
        and all(_taken(branch, function, ran) for ran in wrong)
        and not any(_taken(branch, function, ran) for ran in right)
    ]  # fmt: skip
    return max(found, key=lambda branch: branch.lineno, default=None)


def _taken(branch: ast.If, function: ast.FunctionDef, ran: set[int]) -> bool:
    """Whether a call came into a branch; one that returns at once is told by what did not run."""
    inside = span(branch.body[0]).start, span(branch.body[-1]).stop
    if ran & {*range(*inside)}:
        return True
    return not ran & {*range(inside[1], span(function).stop)}
