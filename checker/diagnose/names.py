"""What a name was meant to be: misspelt, not imported, or an attribute of `self`."""

from __future__ import annotations

import ast
import re
from difflib import get_close_matches
from typing import Any

import torch

from ..judge.source import Source
from ..judge.written import Function, function_at

__all__ = [
    "UNDEFINED",
    "attributes",
    "attributes_set",
    "imported",
    "meant",
    "method_class",
    "misspelt_method",
]

# What NumPy's users call it, and torch does not.
_NUMPY = {"astype": "to", "copy": "clone", "array": "tensor", "concatenate": "cat",
          "expand_dims": "unsqueeze", "power": "pow", "axis": "dim"}  # fmt: skip
_IMPORTS = {
    "inf": "from math import inf", "sqrt": "from math import sqrt",
    "torch": "import torch", "nn": "from torch import nn", "math": "import math",
    "F": "import torch.nn.functional as F", "Tensor": "from torch import Tensor",
    "np": "import numpy as np",
    "einops": "import einops",
    "rearrange": "from einops import rearrange", "repeat": "from einops import repeat",
    "einsum": "from torch import einsum", "Optional": "from typing import Optional",
    "Tuple": "from typing import Tuple", "List": "from typing import List",
    "dataclass": "from dataclasses import dataclass", "partial": "from functools import partial",
}  # fmt: skip
# Python's own that such code calls.
_BUILT_IN = ("range", "len", "print", "float", "int", "max", "min", "sum", "zip", "enumerate",
             "super", "isinstance", "True", "False", "None")  # fmt: skip
# How alike one's own names have to be: `head_dim` is not `hidden_dim`.
_OWN = 0.8
UNDEFINED = re.compile(r"name '(\w+)' is not defined")
_UNBOUND = re.compile(
    r"cannot access local variable '(\w+)' where|local variable '(\w+)' referenced before"
)


def meant(reason: str, source: Source, line: int | None = None) -> str | None:
    """What a misspelt name was meant to be, from the words of an exception at a line."""
    found = re.search(r"module '(torch[\w.]*)' has no attribute '(\w+)'", reason)
    if found is not None:
        owner: Any = torch
        for part in found[1].split(".")[1:]:
            owner = getattr(owner, part, None)
        return _of_torch(found[2], owner)
    found = re.search(r"'(\w+)' object has no attribute '(\w+)'", reason)
    if found is not None and found[1] in {"Tensor", "Parameter"}:
        return _of_torch(found[2], torch.Tensor)
    if found is not None:
        own = source.classes.get(found[1])
        held = attributes(own) if own is not None else []
        # What is set somewhere is spelt as it should be, and was not run.
        return None if found[2] in held else _nearest(found[2], held, _OWN)
    found = UNDEFINED.search(reason)
    if found is not None:
        return _undefined(found[1], source, line)
    found = _UNBOUND.search(reason)
    return _unbound(found[1] or found[2], source, line) if found is not None else None


def imported(reason: str) -> str | None:
    """The import that a name wants which is not defined."""
    found = UNDEFINED.search(reason)
    return _IMPORTS.get(found[1]) if found is not None else None


def _undefined(name: str, source: Source, line: int | None) -> str | None:
    """What a name that is not defined was meant to be; None for `self`, and for a module's.

    None too for one that is defined elsewhere: it is spelt as it should be, and out of reach.
    """
    if name == "self" or name in _IMPORTS:
        return None
    own = method_class(source, line)
    if own is not None and name in attributes(own):
        # On the line that sets it, `self.name = name`, it is an argument that is missing.
        return None if name in attributes_set(own, line) else f"self.{name}"
    function = function_at(source, line)
    nodes = [node for tree in (function, source.tree) if tree for node in ast.walk(tree)]
    known = [n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    known += [n.arg for n in nodes if isinstance(n, ast.arg)] if function is not None else []
    defined = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    known += [node.name for node in source.tree.body if isinstance(node, defined)]
    return None if name in known else _nearest(name, [*known, *_BUILT_IN], _OWN)


def _unbound(name: str, source: Source, line: int | None) -> str | None:
    """The attribute that `q = q(x)` forgets the `self` of: nothing before set a local name so."""
    own, function = method_class(source, line), function_at(source, line)
    if own is None or function is None or line is None or name not in attributes(own):
        return None
    stores = [
        node.lineno
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
    ]
    return f"self.{name}" if min(stores, default=line) >= line else None


def method_class(source: Source, line: int | None) -> ast.ClassDef | None:
    """The innermost class that a line stands in."""
    around = [
        node
        for node in ast.walk(source.tree)
        if isinstance(node, ast.ClassDef)
        and line is not None
        and node.lineno <= line <= (node.end_lineno or line)
    ]
    return max(around, key=lambda node: node.lineno, default=None)


def attributes(tree: ast.AST) -> list[str]:
    """What a class sets on self, and its methods."""
    return [
        node.name if isinstance(node, Function) else node.attr
        for node in ast.walk(tree)
        if isinstance(node, Function)
        or (isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store))
    ]


def attributes_set(tree: ast.AST, line: int | None) -> list[str]:
    """What a line sets on self."""
    return [
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and node.lineno == line
    ]


def _of_torch(name: str, owner: Any) -> str | None:
    known = [one for one in dir(owner) if not one.startswith("_")]
    return _NUMPY[name] if _NUMPY.get(name) in known else _nearest(name, known)


def _nearest(name: str, known: list[str], cutoff: float = 0.6) -> str | None:
    """The known name that is most like one: but for its case, or for a letter or two."""
    bare = name.lower()
    alike = [one for one in known if one.lower() == bare]
    return next(iter(alike or get_close_matches(name, known, n=1, cutoff=cutoff)), None)


def _takes(method: Function) -> bool:
    """Whether a method takes something besides the object."""
    return len(method.args.args) > 1


def misspelt_method(source: Source, name: str | None) -> tuple[int, str, str] | None:
    """Find a method called `_init_`, `foward` or the like: its line, its name, what is called."""
    tree = source.classes.get(name or "")
    methods = {} if tree is None else {n.name: n for n in tree.body if isinstance(n, Function)}
    for meant in ("__init__", "__call__", "forward"):
        bare = meant.strip("_")
        alike = next((one for one in methods if one.strip("_") == bare != one), None)
        if meant != "__call__" and alike is None:
            near = get_close_matches(meant, methods, n=1, cutoff=_OWN)
            # What only turns an object into a number is `__int__` rightly.
            alike = next((one for one in near if meant == "forward" or _takes(methods[one])), None)
        right = {meant, "forward"} if meant == "__call__" else {meant}
        if alike is not None and not right & set(methods):
            return methods[alike].lineno, alike, meant
    return None
