"""What of a file was judged: its class or functions, and what these use; no checks beside them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["code_judged"]

_DEFINED = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def code_judged(source: str, report: Mapping[str, Any]) -> ast.Module:
    """Return the top-level statements that a submission's verdict was about, in their order."""
    there: dict[str, list[ast.stmt]] = {}
    body = list(_top(_tree(source).body))
    for node in body:
        for name in _names_bound(node):
            there.setdefault(name, []).append(node)
    wanted = [report.get("object") or "", *(one["name"] for one in report.get("functions", ()))]
    found: list[ast.stmt] = []
    while wanted:
        new = [node for node in there.pop(wanted.pop(), ()) if node not in found]
        found += new
        wanted += [name for node in new for name in _names_taken(node)]
    return ast.Module(body=[node for node in body if node in found], type_ignores=[])


def _tree(source: str) -> ast.Module:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError):
        return ast.Module(body=[], type_ignores=[])


def _top(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield what a module defines, in its branches too."""
    for node in body:
        if isinstance(node, ast.Try):
            yield from _top([*node.body, *(one for row in node.handlers for one in row.body)])
        elif isinstance(node, ast.If):
            # What runs as a script alone is no part of what was judged.
            if "__name__" not in ast.unparse(node.test):
                yield from _top([*node.body, *node.orelse])
        else:
            yield node


def _names_bound(node: ast.stmt) -> list[str]:
    if isinstance(node, _DEFINED):
        return [node.name]
    if not isinstance(node, (ast.Assign, ast.AnnAssign)):
        return []
    return [one.id for one in _names(node) if isinstance(one.ctx, ast.Store)]


def _names_taken(node: ast.stmt) -> set[str]:
    """Return the names of the module that a statement reads: what it binds itself hides them."""
    own = {one.arg for one in ast.walk(node) if isinstance(one, ast.arg)}
    own |= {one.id for one in _names(node) if isinstance(one.ctx, ast.Store)}
    return {one.id for one in _names(node)} - own


def _names(node: ast.stmt) -> Iterator[ast.Name]:
    return (one for one in ast.walk(node) if isinstance(one, ast.Name))
