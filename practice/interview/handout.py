"""What a candidate gets in hand: the names that a step goes by, and a file to begin in."""

from __future__ import annotations

import ast
import copy

from ...kata.catalogue import Kata

__all__ = ["blank", "signatures"]

_HEAD = """\
# attn-kata: interview
import math

import torch
from torch import Tensor, nn
"""
# A class that is given may name itself in what its methods return.
_FUTURE = "\nfrom __future__ import annotations\n\n"
_CLASS = """\
class Attention(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        raise NotImplementedError("write me")
"""
_UNWRITTEN = 'raise NotImplementedError("write me")'


def blank(kata: Kata, language: str = "en") -> str:
    """Return the file to begin in: a class named as one likes, or what the kata names.

    What the kata gives, a class that is written already, stands in it as the stub has it.
    """
    if kata.promised is not None:
        return f"{_HEAD}\n\n{_CLASS}"
    given = _given(kata.stub(language))
    head = _HEAD.replace("\n", _FUTURE, 1) if given else _HEAD
    return "\n\n".join([head, *given, *(_begun(node) for node in _defined(kata))])


def signatures(kata: Kata) -> tuple[str, ...]:
    """Return how what a kata asks for is called, as its stub has it and without types."""
    rows: list[str] = []
    for node in _defined(kata):
        if isinstance(node, ast.FunctionDef):
            rows.append(f"{node.name}({_arguments(node)})")
        else:
            rows += [_method(node.name, one) for one in _methods(node)]
    return tuple(rows)


def _defined(kata: Kata) -> list[ast.FunctionDef | ast.ClassDef]:
    """The functions and classes of the stub that are to be written."""
    body = ast.parse(kata.stub()).body
    many = (node for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef))
    return [node for node in many if node.name in kata.names]


def _given(stub: str) -> list[str]:
    """The classes of a stub in which nothing is left to write, as they are written there."""
    classes = (node for node in ast.parse(stub).body if isinstance(node, ast.ClassDef))
    texts = (ast.get_source_segment(stub, node) or "" for node in classes)
    return [f"{text}\n" for text in texts if _UNWRITTEN not in text]


def _methods(node: ast.ClassDef) -> list[ast.FunctionDef]:
    return [one for one in node.body if isinstance(one, ast.FunctionDef)]


def _method(name: str, node: ast.FunctionDef) -> str:
    _, _, arguments = _arguments(node).partition(", ")
    made = node.name == "__init__"
    return f"{name}({arguments})" if made else f"{name}.{node.name}({arguments})"


def _arguments(node: ast.FunctionDef) -> str:
    bare = copy.deepcopy(node.args)
    for one in (*bare.posonlyargs, *bare.args, *bare.kwonlyargs):
        one.annotation = None
    return ast.unparse(bare)


def _begun(node: ast.FunctionDef | ast.ClassDef) -> str:
    if isinstance(node, ast.FunctionDef):
        return f"def {node.name}({_arguments(node)}):\n    {_UNWRITTEN}\n"
    rows = [
        f"    def {one.name}({_arguments(one)}):\n        "
        + ("super().__init__()" if one.name == "__init__" else _UNWRITTEN)
        for one in _methods(node)
    ]
    return f"class {node.name}(nn.Module):\n" + "\n\n".join(rows) + "\n"
