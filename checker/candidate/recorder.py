"""In the candidate's process: watch torch calls, with the candidate's lines.

A `TorchFunctionMode` sees calls at the user's own level and costs little; a dispatch
mode would cost seconds of imports.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch._C._functorch import (
    get_unwrapped as _unwrapped,  # pyright: ignore[reportPrivateUsage] - no public ones
)
from torch._C._functorch import (
    is_functorch_wrapped_tensor as _is_wrapped,  # pyright: ignore[reportPrivateUsage]
)
from torch._C._functorch import (
    maybe_get_bdim as _mapped_axis,  # pyright: ignore[reportPrivateUsage]
)
from torch.overrides import TorchFunctionMode

from ..process.requests import Record
from ..process.wire import dtype_name
from .frames import caller, line_in, lines_in

__all__ = ["LIMIT", "Recorder", "ordinary", "whole"]

# A loop over positions makes thousands of calls; what comes after these is not recorded.
LIMIT = 10_000
# Values of larger tensors are not kept, but for some that hold a mask of a few hundred positions.
_SMALL, _WIDE, _ROOM = 5120, 1 << 17, 1 << 22
_STRIDED = torch.strided


class Recorder(TorchFunctionMode):
    """Record each torch call: its name, line, shapes and numbers, and on wish its values.

    names: module names by identity, to say which layer a call belongs to.
    weights: parameter names by identity, to say which weights a call uses.
    record: what is noted. Calls that it skips return their input, to see what remains without
    them, and so do all dropouts where it is silent; half of it those that are halved, by their
    number. Where it follows gradients, nothing cuts them off.
    flattest: marks, tensors without floats, are kept where they have more axes than this.
    """

    flattest = 1

    def __init__(
        self,
        path: str,
        names: dict[int, str],
        weights: dict[int, str],
        record: Record,
    ) -> None:
        super().__init__()
        self.path = path
        self.names = names
        self.weights = weights
        self.values = record.values
        self.given = record.given or record.values
        self.noting = record.steps
        self.room = _ROOM if record.wide else 0
        self.skip = frozenset(record.skip)
        self.silent = record.silent
        self.halved = frozenset(record.halved)
        self.uneven = record.uneven
        self.follow = None if record.follow is None else frozenset(record.follow)
        self.steps: list[dict[str, Any]] = []
        self.dropouts: list[dict[str, Any]] = []

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", str(func))
        if name == "__get__":
            # An attribute: `.T` and `.mT` move axes, `.shape` and the like make no tensor.
            name = getattr(getattr(func, "__self__", None), "__name__", name)
        if name in _DROPOUTS:
            return self._dropout(func, name, args, kwargs)
        if name in self.skip and args:
            result = args[0]
        elif self.follow is None:
            result = func(*args, **kwargs)
        else:
            result = self._followed(func, name, args, kwargs)
        if name not in _QUIET or (name == "data" and _cuts(args, result)):
            # An assignment to items gives nothing back: what it changed is what it made.
            made = args[0] if name == "__setitem__" else result
            self._note(name, args, kwargs, made)
        return result

    def _followed(self, func: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Make a call whose gradients are followed, if they are to be on this line."""
        if self.follow and line_in(self.path) not in self.follow:
            return func(*args, **kwargs)
        if name in _CUTTING:
            return args[0]
        with torch.enable_grad():
            return func(*args, **kwargs)

    def _dropout(self, func: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        given: dict[str, Any] = dict(zip(("input", "p", "training"), args, strict=False))
        given.update(kwargs)
        source = given.get("input")
        result = source if self.silent else func(*args, **kwargs)
        if len(self.dropouts) in self.halved and isinstance(result, Tensor):
            result = result * (_alternating(result) if self.uneven else 0.5)
        entry: dict[str, Any] = {
            "p": float(given.get("p", 0.5)),
            "training": bool(given.get("training", True)),
            "line": line_in(self.path),
            "module": self._module(),
            "shape": list(source.shape) if isinstance(source, Tensor) else [],
            "mapped": isinstance(source, Tensor) and _is_wrapped(source),
        }
        if self.given and isinstance(source, Tensor):
            entry["input"] = whole(source).detach().clone()
        self.dropouts.append(entry)
        self._note(name, args, kwargs, result)
        return result

    def _note(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        if not self.noting or len(self.steps) >= LIMIT:
            return
        lines = lines_in(self.path)
        step: dict[str, Any] = {
            # A layer that works in place says so in an argument alone.
            "call": f"{name}_" if kwargs.get("inplace") is True else name,
            "line": lines[0] if lines else None,
            "lines": lines,
            "weights": [self.weights[id(a)] for a in args if id(a) in self.weights],
            "numbers": _numbers(args, kwargs),
            "shapes": [_shape(a) or [] for a in (*args, *kwargs.values()) if isinstance(a, Tensor)],
            "shape": _shape(result) if isinstance(result, Tensor) else None,
            "dtype": dtype_name(result.dtype) if isinstance(result, Tensor) else None,
            "cut": _cuts(args, result),
        }
        if self.values:
            first = result[0] if isinstance(result, (tuple, list)) and result else result
            outs = list(result) if isinstance(result, (tuple, list)) else [first]
            # One on meta has no values.
            small = [
                out.detach()
                for out in (whole(one) for one in outs if isinstance(one, Tensor))
                if ordinary(out) and not out.is_meta and self._kept(out.numel())
            ]
            step["values"] = [out.clone() for out in small if out.is_floating_point()]
            step["marks"] = [
                out.to(torch.int64, copy=True)
                for out in small
                if not out.is_floating_point() and out.dim() > self.flattest
            ]
            step["module"] = self._module() if name in _LAYERED else None
        self.steps.append(step)

    def _kept(self, size: int) -> bool:
        """Whether there is room for the values of so many entries."""
        if size <= _SMALL:
            return True
        fits = size <= min(_WIDE, self.room)
        self.room -= size if fits else 0
        return fits

    def _module(self) -> str | None:
        frame = caller()
        while frame is not None and frame.f_code.co_filename != self.path:
            owner = frame.f_locals.get("self")
            if id(owner) in self.names:
                return self.names[id(owner)]
            frame = frame.f_back
        return None


def ordinary(tensor: Tensor) -> bool:
    """Whether its entries lie in memory one by one; a sparse or a nested one's do not."""
    return tensor.layout is _STRIDED and not tensor.is_nested


def _shape(tensor: Tensor) -> list[int] | None:
    """A tensor's shape; pieces of several lengths have none."""
    return None if tensor.is_nested else list(tensor.shape)


def whole(tensor: Tensor) -> Tensor:
    """What lies beneath the wrappers of vmap and torch.func, the axes that are mapped in front.

    One that lives inside a vmap is nothing outside it.
    """
    while _is_wrapped(tensor):
        axis = _mapped_axis(tensor)
        tensor = _unwrapped(tensor)
        tensor = tensor if axis < 0 else tensor.movedim(axis, 0)
    return tensor


def _cuts(args: tuple[Any, ...], result: Any) -> bool:
    """Whether a call is given what gradients go through, and gives floats that they do not."""
    given, results = [*_tensors(args)], [*_tensors((result,))]
    if any(map(nn.parameter.is_lazy, (*given, *results))):
        return False
    floats = [one for one in results if one.is_floating_point()]
    if not floats or any(one.requires_grad for one in floats):
        return False
    return any(one.requires_grad for one in given)


def _tensors(many: Iterable[Any]) -> Iterator[Tensor]:
    """Yield what is a tensor, and those in lists: `cat` is given one, `var_mean` gives one."""
    for one in many:
        if isinstance(one, Tensor):
            yield one
        elif isinstance(one, (tuple, list)):
            yield from (each for each in one if isinstance(each, Tensor))


def _alternating(like: Tensor) -> Tensor:
    """1 and one half in turn, along the last axis, in the shape of a tensor."""
    return (1 - 0.5 * (torch.arange(like.shape[-1], device=like.device) % 2)).to(like.dtype)


def _numbers(args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[float]:
    found = []
    for value in (*args, *kwargs.values()):
        if isinstance(value, float) or (isinstance(value, int) and not isinstance(value, bool)):
            found.append(float(value))
        elif isinstance(value, Tensor) and value.dim() == 0 and value.is_floating_point():
            # A constant; larger tensors may be `torch.empty`, and hold anything. Within a vmap
            # each is one of many.
            found += [] if _is_wrapped(value) else [float(value.detach())]
    return found


# Calls that a layer without weights makes with what its constructor was given.
_LAYERED = {
    "softmax", "log_softmax", "relu", "gelu", "tanh", "sigmoid", "silu", "elu", "leaky_relu",
    "layer_norm", "rms_norm", "batch_norm", "group_norm", "selu", "mish",
}  # fmt: skip
# Those that give each entry its own fate; any other is read by what it does.
_DROPOUTS = {"dropout", "dropout_"}
# Those whose result is their input, but for its gradient.
_CUTTING = {"detach", "detach_", "data"}
_QUIET = {
    "__set__", "shape", "device", "dtype", "requires_grad", "is_cuda", "ndim", "data", "grad",
    "grad_fn", "is_leaf", "itemsize", "nbytes", "layout", "size", "dim", "numel",
    "is_floating_point", "is_contiguous", "stride",
    "element_size", "__len__", "has_names", "is_complex", "storage_offset",
}  # fmt: skip
