"""In the candidate's process: time its own calls, where the judge asks for it after a pass."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor

from .building import Built
from .stopwatch import Stopwatch, keep_memory
from .surroundings import Restored

__all__ = ["Laps"]

# Bound before any submission runs: what it puts in their place is its own affair.
_no_grad, _to, _float32 = torch.no_grad, Tensor.to, torch.float32

_Given = tuple[dict[str, Tensor], list[Any], dict[str, Any]]


class Laps:
    """Makes one object ready to be timed, and times it.

    build: makes the object of a recipe. give: turns a call's description into arguments.
    fault: describes an exception and the phase it was raised in.
    """

    def __init__(
        self,
        restored: Restored,
        build: Callable[[dict[str, Any]], Built],
        give: Callable[[Built, dict[str, Any], torch.dtype], _Given],
        fault: Callable[[BaseException, str], dict[str, Any]],
    ) -> None:
        self.restored = restored
        self.build = build
        self.give = give
        self.fault = fault
        self.watch: Stopwatch | None = None

    def prepare(self, request: dict[str, Any]) -> dict[str, Any]:
        """Make the object and call it: seconds, and bytes and events where memory is asked for."""
        return self._guarded(lambda: self._prepare(request))

    def lap(self, _: dict[str, Any]) -> dict[str, Any]:
        """Time the call that was prepared once more."""
        return self._guarded(self._lap)

    def _guarded(self, work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        with self.restored:
            try:
                return work()
            except BaseException as exception:  # noqa: BLE001
                return {"fault": self.fault(exception, "forward")}

    def _prepare(self, request: dict[str, Any]) -> dict[str, Any]:
        keep_memory()
        # The last length's objects go before the next one's come.
        self.watch = None
        device = request["device"]
        built = self.build(request["recipe"])
        built.convert(_float32)
        built.mode(training=False)
        if built.lazy:
            _, args, kwargs = self.give(built, request["warm"], _float32)
            with _no_grad():
                built.forward(*args, **kwargs)
            built.survey()
        built.move(device)
        _, args, kwargs = self.give(built, request["call"], _float32)
        args = [_moved(value, device) for value in args]
        kwargs = {name: _moved(value, device) for name, value in kwargs.items()}
        self.watch = Stopwatch(partial(built.forward, *args, **kwargs), device)
        seconds = self.watch.settle()
        taken, events = self.watch.peak() if request["memory"] else (None, 0)
        return {"seconds": seconds, "bytes": taken, "events": events}

    def _lap(self) -> dict[str, Any]:
        if self.watch is None:
            raise RuntimeError("nothing was prepared")
        return {"seconds": self.watch.lap()}


def _moved(value: Any, device: str) -> Any:
    return _to(value, device) if isinstance(value, Tensor) else value
