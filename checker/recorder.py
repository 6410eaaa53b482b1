"""In the candidate's process: watch torch calls, with the candidate's lines.

A `TorchFunctionMode` sees calls at the user's own level and costs little; a dispatch
mode would cost seconds of imports.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor
from torch._C._functorch import (
    is_functorch_wrapped_tensor as _is_wrapped,  # pyright: ignore[reportPrivateUsage] - no public one
)
from torch.overrides import TorchFunctionMode

from .frames import caller, line_in

__all__ = ["Recorder"]

_LIMIT = 4000


class Recorder(TorchFunctionMode):
    """Record each torch call: its name, line, shapes and numbers, and on wish its values.

    names: module names by identity, to say which layer a dropout call belongs to.
    skip: calls of these names return their input, to see what remains without them.
    only_dropout: let only these dropout calls drop, by number; others return their input.
    """

    def __init__(
        self,
        path: str,
        names: dict[int, str],
        *,
        values: bool = False,
        only_dropout: list[int] | None = None,
        skip: list[str] | None = None,
    ) -> None:
        super().__init__()
        self.path = path
        self.names = names
        self.values = values
        self.skip = frozenset(skip or ())
        self.only_dropout = only_dropout
        self.steps: list[dict[str, Any]] = []
        self.dropouts: list[dict[str, Any]] = []

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", str(func))
        if name in _DROPOUTS:
            return self._dropout(func, name, args, kwargs)
        result = args[0] if name in self.skip and args else func(*args, **kwargs)
        if name not in _QUIET:
            self._note(name, args, kwargs, result)
        return result

    def _dropout(self, func: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        given: dict[str, Any] = dict(zip(("input", "p", "training"), args, strict=False))
        given.update(kwargs)
        source = given.get("input")
        index = len(self.dropouts)
        silent = self.only_dropout is not None and index not in self.only_dropout
        result = source if silent else func(*args, **kwargs)
        entry: dict[str, Any] = {
            "p": float(given.get("p", 0.5)),
            "training": bool(given.get("training", True)),
            "line": line_in(self.path),
            "module": self._module(),
            "shape": list(source.shape) if isinstance(source, Tensor) else [],
        }
        if self.values and isinstance(source, Tensor):
            entry["input"] = source.detach().clone()
        self.dropouts.append(entry)
        self._note(name, args, kwargs, result)
        return result

    def _note(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        if len(self.steps) >= _LIMIT:
            return
        step: dict[str, Any] = {
            "call": name,
            "line": line_in(self.path),
            "numbers": _numbers(args, kwargs),
            "shapes": [list(a.shape) for a in (*args, *kwargs.values()) if isinstance(a, Tensor)],
            "shape": list(result.shape) if isinstance(result, Tensor) else None,
        }
        if self.values:
            first = result[0] if isinstance(result, (tuple, list)) and result else result
            outs = list(result) if isinstance(result, (tuple, list)) else [first]
            step["values"] = [
                out.detach().clone()
                for out in outs
                if isinstance(out, Tensor)
                and out.is_floating_point()
                and out.numel() <= 4096
                # One that lives inside a vmap is nothing outside it.
                and not _is_wrapped(out)
            ]
        self.steps.append(step)

    def _module(self) -> str | None:
        frame = caller()
        while frame is not None and frame.f_code.co_filename != self.path:
            owner = frame.f_locals.get("self")
            if id(owner) in self.names:
                return self.names[id(owner)]
            frame = frame.f_back
        return None


def _numbers(args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[float]:
    found = []
    for value in (*args, *kwargs.values()):
        if isinstance(value, float) or (isinstance(value, int) and not isinstance(value, bool)):
            found.append(float(value))
        elif isinstance(value, Tensor) and value.dim() == 0 and value.is_floating_point():
            # A constant; larger tensors may be `torch.empty`, and hold anything.
            found.append(float(value.detach()))
    return found


_DROPOUTS = {"dropout", "dropout_", "alpha_dropout", "feature_dropout", "dropout1d", "dropout2d"}
_QUIET = {
    "__get__", "__set__", "size", "dim", "numel", "is_floating_point", "is_contiguous", "stride",
    "element_size", "__len__", "has_names", "is_complex", "storage_offset",
}  # fmt: skip
