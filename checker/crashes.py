"""What an exception means and how to mend it: the causes that are known by their words."""

from __future__ import annotations

import ast
import re
from difflib import get_close_matches
from math import prod
from typing import Any

import torch

from .messages import say
from .source import Source

__all__ = ["because", "meant", "misspelt_method", "overwritten"]

# What torch says, and the sentence that explains it. The first match wins.
_CAUSES = (
    ("view size is not compatible", "crash-view"),
    (r"shapes cannot be multiplied \((\d+)x(\d+) and (\d+)x(\d+)\)", "crash-linear"),
    ("same dtype|expected scalar type|expected m1 and m2", "crash-dtype"),
    ("cannot be converted to type .* without overflow", "crash-overflow"),
    (r"shape '\[([^\]]*)\]' is invalid for input of size (\d+)", "crash-reshape"),
    (r"tensor a \((\d+)\) must match the size of tensor b \((\d+)\)", "crash-broadcast"),
    ("batch1|batch2|must be 3D", "crash-batches"),
    ("Dimension out of range", "crash-axis"),
    ("operator, (with|on) a bool", "crash-bool"),
    (r'"bitwise_not\w*" not implemented|ufunc_\w*bitwise_not', "crash-invert"),
    ("only supports boolean masks|mask dtype to be Bool", "crash-mask-dtype"),
    ("only supports a 0-dimensional value", "crash-fill-value"),
    ("Boolean value of Tensor with more than one value", "crash-truth"),
    ("leaf Variable that requires grad", "crash-leaf"),
    ("needed for gradient computation has been modified", "crash-in-place"),
    ("'Tensor' object is not callable", "crash-call"),
    (r"takes (\d+) positional arguments? but (\d+) (?:was|were) given", "crash-self"),
    (r"missing \d+ required positional argument", "crash-argument"),
    (r"NoneType", "crash-none"),
    (r"before Module.__init__\(\) call", "crash-super"),
)


def because(fault: dict[str, Any], source: Source, language: str, *, cause: bool = True) -> str:
    """What to add to an exception's words: the shapes on its line, its cause and the cure.

    cause: leave it out where a named mistake says it already.
    """
    shapes = _shapes_on(fault, source)
    parts = [say("crash-shapes", language, shapes=shapes)] if shapes else []
    found = _cause(fault, language) if cause else None
    parts += [found] if found is not None else []
    stop = say("semicolon", language)
    return "".join(f"{stop}{part}" for part in parts)


def overwritten(fault: dict[str, Any]) -> int | None:
    """How many entries the tensor has of which autograd says that it was changed in place."""
    found = re.search(r"modified by an inplace operation: \[\S+ \[([\d, ]*)\]", fault["message"])
    return prod(int(size) for size in found[1].split(",") if size.strip()) if found else None


def _cause(fault: dict[str, Any], language: str) -> str | None:
    for pattern, key in _CAUSES:
        found = re.search(pattern, fault["message"])
        if found is not None:
            parts = {f"part{number}": part for number, part in enumerate(found.groups(), 1)}
            return say(key, language, **parts)
    return None


def _shapes_on(fault: dict[str, Any], source: Source) -> str:
    """The tensors that the guilty statement names: "scores (2, 3, 5, 5) float64, mask (2, 5)"."""
    line = fault["line"]
    named = _named_on(source.tree, line) if line is not None else set()
    held = [one for one in fault.get("tensors", []) if one["name"] in named]
    several = len({one["dtype"] for one in held}) > 1
    parts = []
    for one in held:
        axes = ", ".join(map(str, one["shape"]))
        shown = f"{one['name']} ({axes}{',' if len(one['shape']) == 1 else ''})"
        parts.append(f"{shown} {one['dtype']}" if several else shown)
    return ", ".join(parts)


def _named_on(tree: ast.AST, line: int) -> set[str]:
    """The names and attributes of self that the innermost statement on a line reads."""
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    if not around:
        return set()
    statement = max(around, key=lambda node: node.lineno)
    return {
        ast.unparse(node)
        for node in ast.walk(statement)
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load)
    }


def meant(reason: str, source: Source) -> str | None:
    """What a misspelt attribute was meant to be, from an AttributeError's words."""
    found = re.search(r"module '(torch[\w.]*)' has no attribute '(\w+)'", reason)
    if found is not None:
        owner: Any = torch
        for part in found[1].split(".")[1:]:
            owner = getattr(owner, part, None)
        return _nearest(found[2], dir(owner))
    found = re.search(r"'(\w+)' object has no attribute '(\w+)'", reason)
    if found is None:
        return None
    if found[1] == "Tensor":
        return _nearest(found[2], dir(torch.Tensor))
    own = source.classes.get(found[1])
    return _nearest(found[2], _own_attributes(own)) if own is not None else None


def _own_attributes(tree: ast.AST) -> list[str]:
    """What a class sets on self, and its methods."""
    return [
        node.name if isinstance(node, ast.FunctionDef) else node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        or (isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store))
    ]


def _nearest(name: str, known: list[str]) -> str | None:
    return next(iter(get_close_matches(name, known, n=1, cutoff=0.6)), None)


def misspelt_method(source: Source, name: str | None) -> tuple[int, str, str] | None:
    """Find a method called `_init_` or the like."""
    tree = source.classes.get(name or "")
    for node in tree.body if tree is not None else []:
        if isinstance(node, ast.FunctionDef):
            bare = node.name.strip("_")
            if bare in {"init", "call", "forward"} and node.name.startswith("_"):
                meant = {"init": "__init__", "call": "__call__", "forward": "forward"}[bare]
                if node.name != meant:
                    return node.lineno, node.name, meant
    return None
