"""Decode what came over a line into typed messages, and refuse whatever has another form.

A message is a dataclass; its annotations are the form. They may be plain types, unions of them,
`list[X]`, `dict[str, X]`, other messages and tensors, or anything where they say so. A field
without a default must be there, and no other field may. A number that is to be a float may come
as an int; nothing else is converted, and a bool is no number. Of several kinds of message each
says which it is.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from .wire import KIND, Garbled

__all__ = ["decode", "one_of", "prepare"]

_Kind = TypeVar("_Kind")
_Decode = Callable[[Any], Any]


def decode(kind: type[_Kind], value: Any) -> _Kind:
    """Make a message of this kind of what was received. Raise Garbled where it has another form."""
    return _decoder(kind)(value)


def one_of(kinds: tuple[type[_Kind], ...], value: Any) -> _Kind:
    """Make a message of the kind that it says it is, of several."""
    return _union(kinds)(value)


def prepare(*kinds: type) -> None:
    """Work out their forms before the first of them comes."""
    for kind in kinds:
        _decoder(kind)


@cache
def _decoder(kind: Any) -> _Decode:
    """Make a form into a function, since hundreds of answers have the same one."""
    if kind is Any:
        return lambda value: value
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
    if origin in {Union, types.UnionType}:
        return _union(inner)
    raise TypeError(f"no form of a message: {kind}")


def _plain(kind: Any) -> frozenset[type] | None:
    """The types of a form that holds no others; None of one that does."""
    if get_origin(kind) in {Union, types.UnionType}:
        parts = [_plain(one) for one in get_args(kind)]
        return None if None in parts else frozenset().union(*(one for one in parts if one))
    if kind is float:
        return frozenset({float, int})
    if kind is Any or is_dataclass(kind) or get_origin(kind) is not None:
        return None
    return frozenset({kind})


def _message(kind: Any) -> _Decode:
    hints = get_type_hints(kind)
    own = [one for one in fields(kind) if one.init]
    needed = {one.name for one in own if one.default is MISSING and one.default_factory is MISSING}
    plain = {one.name: allowed for one in own if (allowed := _plain(hints[one.name])) is not None}
    deep = {one.name: _decoder(hints[one.name]) for one in own if one.name not in plain}

    def decoded(value: Any) -> Any:
        if type(value) is not dict:
            _refuse(kind)
        if value.pop(KIND, kind.__name__) != kind.__name__ or not needed <= value.keys():
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


@cache
def _union(kinds: tuple[Any, ...]) -> _Decode:
    """Decode one of several kinds: plain ones, messages, and at most one other form."""
    plain = frozenset(kind for one in kinds for kind in _plain(one) or ())
    own = [one for one in kinds if isinstance(one, type) and is_dataclass(one)]
    messages = {one.__name__: _decoder(one) for one in own}
    others = [_decoder(one) for one in kinds if _plain(one) is None and not is_dataclass(one)]
    # What can be of one kind alone need not say so.
    only = [*messages.values(), *others]

    def decoded(value: Any) -> Any:
        if type(value) in plain:
            return value
        said = value.get(KIND) if type(value) is dict else None
        named = messages.get(said) if type(said) is str else None
        if named is None and len(only) == 1:
            named = only[0]
        return named(value) if named is not None else _refuse(kinds)

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
