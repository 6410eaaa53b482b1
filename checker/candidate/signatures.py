"""In the candidate's process: what functions and classes of a file take, and what that holds."""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import re
import typing
from collections.abc import Iterator, Mapping
from typing import Any

from torch import nn

from ..vocabulary import constructor_role

__all__ = ["annotated", "kind_of", "parameters_of", "signature"]

_NUMBERS = (int, float)
# How deep settings lie in parts of parts.
_DEPTH = 4


def signature(function: Any, namespace: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Describe what a method takes beside its object; None where nobody can tell."""
    if function is None or function is nn.Module.forward:
        return None
    if isinstance(function, property):
        # What it takes is known once there is an object.
        function = _anything
    try:
        parameters = parameters_of(function)
    except Exception:  # noqa: BLE001 - what it asks of them is the candidate's
        return None
    # The first is the object, but where what is decorated takes it as one of any.
    own = [one for n, one in enumerate(parameters) if n or one.kind is one.VAR_POSITIONAL]
    described = [_described(one) for one in own]
    for one, told in zip(own, described, strict=True):
        # What a kind of the file's says of itself is the candidate's too.
        with contextlib.suppress(Exception):
            told.update(_held(one, namespace))
    return described


def _described(one: inspect.Parameter) -> dict[str, Any]:
    return {
        "name": one.name,
        "kind": one.kind.name,
        "has_default": one.default is not inspect.Parameter.empty,
        "default": one.default
        if isinstance(one.default, (int, float, bool, str, type(None)))
        else repr(type(one.default)),
        "annotation": annotated(one.annotation),
    }


def _anything(self: Any, *args: Any, **kwargs: Any) -> None:
    """What may be called with any arguments."""


def parameters_of(function: Any) -> list[inspect.Parameter]:
    """Return what a callable takes. Raise what `inspect` raises where that cannot be said.

    A decorator that takes anything hands it on to what it stands for; one that names what it takes
    may give that something else.
    """
    own = [*inspect.signature(function, follow_wrapped=False).parameters.values()]
    if any(one.kind in {one.VAR_POSITIONAL, one.VAR_KEYWORD} for one in own):
        return [*inspect.signature(function).parameters.values()]
    return own


def annotated(value: Any) -> str:
    """What an annotation says, as text; nothing where there is none."""
    if value is inspect.Parameter.empty:
        return ""
    return value if isinstance(value, str) else getattr(value, "__name__", str(value))


def kind_of(annotation: Any, namespace: Mapping[str, Any]) -> type | None:
    """The file's own kind that an annotation names, which is no module."""
    if isinstance(annotation, str):
        named = [namespace.get(word) for word in re.findall(r"\w+", annotation)]
    else:
        named = [annotation, *typing.get_args(annotation)]
    return next((one for one in named if _is_own(one)), None)


def _is_own(value: Any) -> bool:
    own = issubclass(type(value), type) and value.__module__ == "submission"
    return own and not issubclass(value, nn.Module)


def _held(one: inspect.Parameter, namespace: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that one argument holds, those of its parts too, and their kind's name.

    None where two have one name.
    """
    found: list[inspect.Parameter] = []
    name = "dict"
    if type(one.default) is dict:
        found = [_setting(name, default=value) for name, value in one.default.items()]
        found = [each for each in found if type(each.default) in _NUMBERS]
    elif one.default is not None and (kind := _record(one, namespace)) is not None:
        found, name = [*_settings(kind, namespace)], kind.__name__
    distinct = len({each.name for each in found}) == len(found)
    if not found or not distinct:
        return {}
    return {"annotation": name, "fields": [_described(each) for each in found]}


def _record(one: inspect.Parameter, namespace: Mapping[str, Any]) -> type | None:
    """What an argument is by its annotation or its default, else the file's one record."""
    kind = kind_of(one.annotation, namespace) or kind_of(type(one.default), namespace)
    if kind is not None or constructor_role(one.name) != "config":
        return kind
    holding = [each for each in namespace.values() if _is_own(each) and _is_record(each)]
    return holding[0] if len(holding) == 1 else None


def _is_record(kind: type) -> bool:
    return dataclasses.is_dataclass(kind) or hasattr(kind, "_fields")


def _setting(
    name: Any, annotation: Any = inspect.Parameter.empty, default: Any = inspect.Parameter.empty
) -> inspect.Parameter:
    """A setting as what a constructor takes by name; what is no name is read by no constructor."""
    name = name if isinstance(name, str) and name.isidentifier() else "_"
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=default, annotation=annotation)


def _settings(
    kind: type, namespace: Mapping[str, Any], depth: int = 0
) -> Iterator[inspect.Parameter]:
    """The settings of a kind of configuration, those of its parts in their place."""
    for one in _own_settings(kind):
        part = kind_of(one.annotation, namespace)
        if part is None or part is kind:
            yield one
        elif depth < _DEPTH:
            yield from _settings(part, namespace, depth + 1)


def _own_settings(kind: type) -> Iterator[inspect.Parameter]:
    hints = getattr(kind, "__annotations__", {})
    if dataclasses.is_dataclass(kind):
        for field in (each for each in dataclasses.fields(kind) if each.init):
            missing = field.default is dataclasses.MISSING
            default = inspect.Parameter.empty if missing else field.default
            yield _setting(field.name, field.type, default)
    elif hasattr(kind, "_fields"):
        usual = getattr(kind, "_field_defaults", {})
        for name in kind._fields:
            default = usual.get(name, inspect.Parameter.empty)
            yield _setting(name, hints.get(name, inspect.Parameter.empty), default)
    elif issubclass(kind, dict):
        yield from (_setting(name, hint) for name, hint in hints.items())
    elif "__init__" in kind.__dict__:
        yield from parameters_of(kind.__init__)[1:]
    else:
        held = ((name, value) for name, value in vars(kind).items() if name[:1] != "_")
        yield from (_setting(n, default=v) for n, v in held if type(v) in _NUMBERS)
