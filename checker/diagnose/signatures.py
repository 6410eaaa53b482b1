"""What a function of a submission takes, and what a call of it gives."""

from __future__ import annotations

import ast

__all__ = ["AnyFunction", "constructor_of", "default_of", "given_to", "parameters"]

AnyFunction = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def constructor_of(own: ast.ClassDef) -> ast.FunctionDef | None:
    """A class's own `__init__`."""
    methods = (one for one in own.body if isinstance(one, ast.FunctionDef))
    return next((one for one in methods if one.name == "__init__"), None)


def parameters(function: AnyFunction) -> list[str]:
    """The names of its arguments, without the object."""
    names = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
    names = names[1:] if names[:1] in (["self"], ["cls"]) else names
    return names + [a.arg for a in function.args.kwonlyargs]


def given_to(call: ast.Call, function: AnyFunction, name: str) -> ast.expr | None:
    """What a call gives for an argument; None where it is left out."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    place = parameters(function).index(name)
    return call.args[place] if place < len(call.args) else None


def default_of(function: AnyFunction, name: str) -> ast.expr | None:
    """The default of an argument; None where it has none."""
    args = [*function.args.posonlyargs, *function.args.args]
    defaults = function.args.defaults
    for arg, default in zip(args[len(args) - len(defaults) :], defaults, strict=True):
        if arg.arg == name:
            return default
    for arg, keyword_default in zip(
        function.args.kwonlyargs, function.args.kw_defaults, strict=True
    ):
        if arg.arg == name:
            return keyword_default
    return None
