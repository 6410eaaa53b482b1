"""In the candidate's process: what lies in what one call hands on to the next."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import attrgetter
from types import FunctionType, MethodType, ModuleType
from typing import Any

import torch
from torch import Tensor

__all__ = ["entries", "watched"]

# Bound before any submission runs: what it puts in their place is its own affair.
_storage, _strides, _offset = Tensor.untyped_storage, Tensor.stride, Tensor.storage_offset
_shape, _select, _width = Tensor.size, Tensor.select, Tensor.element_size
_address, _bytes = torch.UntypedStorage.data_ptr, torch.UntypedStorage.nbytes
_nonzero, _detach = torch.count_nonzero, Tensor.detach
_writes = attrgetter("_version")
# A state of more objects is no cache any more.
_MOST = 10_000
_OPAQUE = (str, bytes, int, float, complex, type, ModuleType, FunctionType, MethodType)


def entries(state: Any) -> int:
    """Count the floats of every tensor that can be reached from a state.

    What lies in memory once counts once: an axis that was expanded, a view of what is there
    too. Zeros do not count: a buffer holds them where nothing was written yet.
    """
    memories: dict[int, dict[Any, Tensor]] = {}
    try:
        for tensor in _tensors(state):
            if tensor.is_floating_point():
                views = memories.setdefault(_address(_storage(tensor)), {})
                views[(_offset(tensor), tuple(_shape(tensor)), tuple(_strides(tensor)))] = tensor
        return sum(_written(list(views.values())) for views in memories.values())
    except Exception:  # noqa: BLE001 - what cannot be looked into is held to be empty
        return 0


def watched(state: Any, call: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Make a call that is handed a state; with what it answers, whether it has rewritten that."""
    before = _contents(state)
    return {**call(), "rewritten": _contents(state) != before}


def _contents(state: Any) -> list[Any]:
    """Say of a state's tensors where they lie, and how often they were written to."""
    try:
        return [
            (_address(_storage(one)), _offset(one), tuple(_shape(one)), _writes(one))
            for one in _tensors(state)
        ]
    except BaseException:  # noqa: BLE001 - what cannot be looked into is held to stay as it is
        return []


def _written(views: list[Tensor]) -> int:
    """Count the entries of one memory that views of it show."""
    whole = _bytes(_storage(views[0])) // max(1, _width(views[0]))
    return min(whole, sum(int(_nonzero(_once(view))) for view in views))


def _once(tensor: Tensor) -> Tensor:
    """Take one place of each axis along which a tensor was expanded."""
    tensor = _detach(tensor)
    for axis in range(tensor.dim() - 1, -1, -1):
        if _strides(tensor)[axis] == 0 and _shape(tensor)[axis] > 1:
            tensor = _select(tensor, axis, 0)
    return tensor


def _tensors(state: Any) -> Iterator[Tensor]:
    """Yield the tensors in containers and attributes, however deep."""
    todo, seen = [state], set[int]()
    while todo and len(seen) < _MOST:
        one = todo.pop()
        if id(one) in seen or isinstance(one, _OPAQUE):
            continue
        seen.add(id(one))
        if isinstance(one, Tensor):
            yield one
        elif isinstance(one, dict):
            todo += list(dict.values(one))
        elif isinstance(one, (list, tuple, set, frozenset)):
            todo += list(one)
        else:
            todo += _held(one)


def _held(thing: Any) -> list[Any]:
    """What an object keeps in its attributes."""
    slots = [name for kind in type(thing).__mro__ for name in _names(vars(kind).get("__slots__"))]
    held = [getattr(thing, name, None) for name in slots]
    return [*held, *getattr(thing, "__dict__", {}).values()]


def _names(slots: Any) -> tuple[str, ...]:
    return (slots,) if isinstance(slots, str) else tuple(slots or ())
