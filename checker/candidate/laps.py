"""In the candidate's process: time its own calls, where the judge asks for it after a pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor

from ..process.requests import Call, Prepare, Recipe, Timed
from .building import Built
from .stopwatch import Stopwatch, keep_memory
from .surroundings import Restored

__all__ = ["Laps"]

# Bound before any submission runs: what it puts in their place is its own affair.
_no_grad, _to, _float32 = torch.no_grad, Tensor.to, torch.float32

_Given = tuple[dict[str, Tensor], list[Any], dict[str, Any]]


class Laps:
    """Makes objects and functions ready to be timed, and times calls of all of them in turn.

    build: makes the object of a recipe. give: turns a call's description into arguments.
    fault: describes an exception and the phase it was raised in.
    """

    def __init__(
        self,
        restored: Restored,
        build: Callable[[Recipe], Built],
        give: Callable[[Built, Call, torch.dtype], _Given],
        fault: Callable[[BaseException, str], dict[str, Any]],
    ) -> None:
        self.restored = restored
        self.build = build
        self.give = give
        self.fault = fault
        self.watch: Stopwatch | None = None

    def prepare(self, request: Prepare) -> dict[str, Any]:
        """Make what is timed and call it: seconds, and bytes and events if memory is asked for."""
        return self._guarded(lambda: self._prepare(request))

    def lap(self) -> dict[str, Any]:
        """Time the call that was prepared once more."""
        return self._guarded(self._lap)

    def _guarded(self, work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        with self.restored:
            try:
                return work()
            except BaseException as exception:  # noqa: BLE001
                return {"fault": self.fault(exception, "forward")}

    def _prepare(self, request: Prepare) -> dict[str, Any]:
        keep_memory()
        # The last length's objects go before the next one's come.
        self.watch = None
        place = torch.device(request.device)
        calls = [self._ready(one, place) for one in request.calls]
        self.watch = Stopwatch(partial(_all, calls), request.device)
        seconds = self.watch.settle()
        taken, events = self.watch.peak() if request.memory else (None, 0)
        return {"seconds": seconds, "bytes": taken, "events": events}

    def _ready(self, timed: Timed, place: torch.device) -> Callable[[], Any]:
        """Make what is called, and its arguments."""
        built = self.build(timed.recipe)
        built.convert(_float32)
        built.mode(training=False)
        if built.lazy:
            _, args, kwargs = self.give(built, timed.call, _float32)
            with _no_grad():
                built.forward(*args, **kwargs)
            built.survey()
        built.move(place)
        _, args, kwargs = self.give(built, timed.call, _float32)
        args = [_moved(value, place) for value in args]
        kwargs = {name: _moved(value, place) for name, value in kwargs.items()}
        return partial(built.forward, *args, **kwargs)

    def _lap(self) -> dict[str, Any]:
        if self.watch is None:
            raise RuntimeError("nothing was prepared")
        return {"seconds": self.watch.lap()}


def _all(calls: Sequence[Callable[[], Any]]) -> None:
    # What each returns goes before the next one is called.
    for call in calls:
        call()


def _moved(value: Any, place: torch.device) -> Any:
    return _to(value, place) if isinstance(value, Tensor) else value
