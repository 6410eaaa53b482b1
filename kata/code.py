"""What a source does, apart from how it is described: its code without comments and docstrings."""

from __future__ import annotations

import ast

__all__ = ["bare"]

_DESCRIBED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def bare(source: str) -> str:
    """Return a form that two sources share where their code is the same. Raise SyntaxError."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, _DESCRIBED) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:]
    return ast.dump(tree)
