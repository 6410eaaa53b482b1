"""Decode what came over a line into typed messages, and refuse whatever has another form.

A message is a dataclass; its annotations are the form. They may be plain types, `X | None`,
`list[X]`, `dict[str, X]`, other messages and tensors. A field without a default must be there,
and no other field may. A number that is to be a float may come as an int; nothing else is
converted, and a bool is no number.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from .wire import Garbled

__all__ = ["decode"]

_Kind = TypeVar("_Kind")
_Decode = Callable[[Any], Any]


def decode(kind: type[_Kind], value: Any) -> _Kind:
    """Make a message of this kind of what was received. Raise Garbled where it has another form."""
    return _decoder(kind)(value)


@cache
def _decoder(kind: Any) -> _Decode:
    """Make a form into a function, since hundreds of answers have the same one."""
    allowed = _plain(kind)
    if allowed is not None:
        return lambda value: value if type(value) in allowed else _refuse(kind)
    if is_dataclass(kind):
        return _message(kind)
    origin, inner = get_origin(kind), get_args(kind)
    if origin is list or origin is Sequence:
        return _list(inner[0])
    if origin is dict:
        return _mapping(inner[1])
    if len(inner) == 2 and inner[1] is type(None):
        one = _decoder(inner[0])
        return lambda value: None if value is None else one(value)
    raise TypeError(f"no form of a message: {kind}")


def _plain(kind: Any) -> frozenset[type] | None:
    """The types of a form that holds no others; None of one that does."""
    if get_origin(kind) in {Union, types.UnionType}:
        parts = [_plain(one) for one in get_args(kind)]
        return None if None in parts else frozenset().union(*(one for one in parts if one))
    if kind is float:
        return frozenset({float, int})
    if is_dataclass(kind) or get_origin(kind) is not None:
        return None
    return frozenset({kind})


def _message(kind: Any) -> _Decode:
    hints = get_type_hints(kind)
    own = [one for one in fields(kind) if one.init]
    needed = {one.name for one in own if one.default is MISSING and one.default_factory is MISSING}
    plain = {one.name: allowed for one in own if (allowed := _plain(hints[one.name])) is not None}
    deep = {one.name: _decoder(hints[one.name]) for one in own if one.name not in plain}

    def decoded(value: Any) -> Any:
        if type(value) is not dict or not needed <= value.keys():
            _refuse(kind)
        for name, item in value.items():
            if name in plain:
                if type(item) not in plain[name]:
                    _refuse(kind, name)
            elif name in deep:
                # What was received is nobody else's.
                value[name] = deep[name](item)
            else:
                _refuse(kind, name)
        return kind(**value)

    return decoded


def _list(kind: Any) -> _Decode:
    allowed, one = _plain(kind), _decoder(kind)

    def decoded(value: Any) -> Any:
        if type(value) is not list:
            _refuse(list)
        if allowed is None:
            return [one(item) for item in value]
        return value if allowed.issuperset(map(type, value)) else _refuse(kind)

    return decoded


def _mapping(kind: Any) -> _Decode:
    one = _decoder(kind)

    def decoded(value: Any) -> Any:
        if type(value) is not dict:
            _refuse(dict)
        return {name: one(item) for name, item in value.items()}

    return decoded


def _refuse(kind: Any, name: str = "") -> Any:
    raise Garbled(f"not the form of {getattr(kind, '__name__', kind)} {name}".rstrip())
