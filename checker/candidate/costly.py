"""In the candidate's process: objects that take long to make are made once, and used again."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from time import process_time
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import torch
from torch import Tensor, nn

from .building import Built

__all__ = ["Costly"]


# Seconds of processor time. Below, a fresh object costs little more than to look whether one is.
_LONG = 0.03
_HELD = 3
_PLAIN = (
    type(None), bool, int, float, complex, str, bytes, torch.dtype, torch.device, type, ModuleType,
    BuiltinFunctionType,
)  # fmt: skip


class Costly:
    """Keeps objects that took long to make, as one with a mask of 4096 × 4096 does.

    One is used again only where the calls left it as it was, to the last thing that it holds; one
    that holds what cannot be looked into is made anew each time.
    """

    def __init__(self) -> None:
        self.held: dict[Any, Built] = {}
        self.key: Any = None
        self.long = False

    def made(self, key: Any, make: Callable[[], Built]) -> Built:
        """An object as `make` makes one. What has the same key is alike; without, it is fresh."""
        self.key, kept = key, self.held.pop(key, None)
        self.long = kept is not None
        if kept is not None:
            for weight in kept.weights.values():
                weight.grad = None
            return Built(kept.thing)
        before = process_time()
        built = make()
        self.long = key is not None and process_time() - before > _LONG
        return built

    @contextmanager
    def watched(self, built: Built) -> Generator[None]:
        """Around the calls on the object that was made last: keep it where they change nothing."""
        before = _state(built.thing) if self.long else None
        yield
        if before is not None and _state(built.thing) == before:
            self.held[self.key] = built
            if len(self.held) > _HELD:
                del self.held[next(iter(self.held))]


def _state(thing: object) -> list[Any] | None:
    """All that an object holds, in order, or None where something cannot be looked into."""
    try:
        return _held_by(thing)
    except BaseException:  # noqa: BLE001 - slots, tensors of inference mode, code of its own
        return None


def _held_by(thing: object) -> list[Any] | None:
    found: list[Any] = []
    seen: set[int] = set()
    left = [thing]
    while left:
        one = left.pop()
        found.append(one if isinstance(one, _PLAIN) else id(one))
        if isinstance(one, _PLAIN) or id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, Tensor):
            if one.grad_fn is not None:
                return None
            found += [one._version, one.data_ptr(), one.shape, one.requires_grad]  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
        elif isinstance(one, dict):
            left += [part for item in one.items() for part in item]
        elif isinstance(one, (list, tuple, set, frozenset)):
            left += one
        elif isinstance(one, MethodType):
            left += [one.__self__, one.__func__]
        elif isinstance(one, FunctionType):
            if one.__closure__ or one.__dict__ or one.__defaults__ or one.__kwdefaults__:
                return None
        elif isinstance(one, nn.Module) or type(one).__module__ == "submission":
            # Each call sets the mode that it needs.
            left += [part for name, part in vars(one).items() if name != "training"]
        else:
            return None
    return found
