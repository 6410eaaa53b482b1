"""In the candidate's process: a pretended GPU, for machines that have none.

Every storage has a pretended device: the inputs', parameters' and buffers' are said to be
on `cuda:0`, what a factory makes without `device=` is on the CPU, and what mixes the two
raises torch's own words. The arithmetic happens on the CPU all the while. The rules are
torch's documented ones (Tensor Attributes: torch.device; CUDA semantics) and those that
its operators declare (native_functions.yaml: an operator without `device_check: NoCheck`
takes tensors of one device alone; the others let a CPU tensor without axes join).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from types import FunctionType
from typing import Any

import torch
from torch import Tensor, nn
from torch._C._functorch import (
    get_unwrapped as _unwrapped,  # pyright: ignore[reportPrivateUsage] - no public one
)
from torch._C._functorch import (
    is_functorch_wrapped_tensor as _is_wrapped,  # pyright: ignore[reportPrivateUsage] - as above
)
from torch.overrides import TorchFunctionMode

from .building import may_be_mask
from .frames import line_in

__all__ = ["HOME", "Mixed", "PretendedGPU"]

# Where everything that a user moves to the GPU is said to be.
HOME = torch.device("cuda:0")
_CPU = torch.device("cpu")

_FACTORIES = {
    "zeros", "ones", "full", "empty", "arange", "linspace", "eye", "tensor", "as_tensor", "rand",
    "randn", "randint", "randperm", "tril_indices", "triu_indices", "from_numpy", "logspace",
    "empty_strided", "scalar_tensor", "asarray", "range", "frombuffer",
    "hann_window", "hamming_window", "bartlett_window", "blackman_window", "kaiser_window",
}  # fmt: skip
# Given a tensor, these make theirs where it is.
_COPIES = {"tensor", "as_tensor", "asarray"}
# They read sizes or numbers, or carry values from one device to the other.
_FREE = {"copy_", "set_", "fill_", "is_same_size", "size", "dim", "numel", "item", "tolist",
         "__len__", "__repr__", "__format__", "is_floating_point", "requires_grad_", "__bool__",
         "__int__", "__float__", "__index__", "expand_as", "view_as", "reshape_as", "stride",
         "register_hook", "resize_as_", "__set__",
         "_has_compatible_shallow_copy_type", "_nested_view_from_jagged"}  # fmt: skip
# Operators that take no tensor of another device, one without axes neither.
_STRICT = {
    "cat", "concat", "concatenate", "stack", "hstack", "vstack", "dstack", "column_stack",
    "index_select", "gather", "scatter", "scatter_", "scatter_add", "scatter_add_", "take",
    "take_along_dim", "index_add", "index_add_", "index_copy", "index_copy_", "masked_select",
    "masked_scatter", "masked_scatter_", "equal", "embedding", "clamp", "clamp_", "clamp_min",
    "clamp_max", "clip", "block_diag", "searchsorted", "bucketize",
}  # fmt: skip
_ASSIGNED = {"__iadd__", "__isub__", "__imul__", "__itruediv__", "__ifloordiv__", "__imod__",
             "__ipow__", "__iand__", "__ior__", "__ixor__"}  # fmt: skip

# How a tensor came to be where it is: `made`, `parameter` where a weight was, `attribute`, or
# `mask` where an attribute is one, or `array` of what has to be on the CPU; a call's or an
# attribute's name, and the line.
_Origin = tuple[str, str, int | None]
_MOVED: _Origin = ("", "", None)


class Mixed(RuntimeError):
    """Tensors that had to be on one device were not. origin: where the stray one came from."""

    def __init__(self, origin: _Origin, text: str) -> None:
        super().__init__(text)
        self.origin = origin


class _NoArray(Mixed, TypeError):
    """A tensor on the GPU was to become an array."""


class PretendedGPU(TorchFunctionMode):
    """Knows the pretended device of whatever torch calls make or take."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path
        # Storages by their address; each is held, or another could come to lie there.
        self.places: dict[int, tuple[Any, torch.device, _Origin]] = {}

    # -- where tensors are -----------------------------------------------------------

    def place(self, thing: Any, inputs: Iterable[Tensor]) -> None:
        """Put a module's parameters and buffers and the inputs on the pretended GPU.

        What the module keeps in plain attributes stays where it is, as `.to()` leaves it.
        """
        for tensor in (*inputs, *_kept_by_earlier_calls(thing)):
            self._put(tensor, HOME, _MOVED)
        if not isinstance(thing, nn.Module):
            return
        for module in thing.modules():
            for name, value in vars(module).items():
                if name not in {"_parameters", "_buffers", "_modules"}:
                    self._leave(name, value)
        for tensor in (*thing.parameters(), *thing.buffers()):
            self._put(tensor, HOME, _MOVED)

    def _leave(self, name: str, value: Any) -> None:
        for tensor in _tensors(value):
            if self._device(tensor) == _CPU:
                kind = "mask" if may_be_mask(tensor) else "attribute"
                self._put(tensor, _CPU, (kind, name, None))

    def brought_home(self, result: Any) -> None:
        """Raise Mixed where a call's output is known to be on another device than its inputs."""
        for tensor in _tensors(result):
            known = self._known(tensor)
            if known is not None and known[1] != HOME:
                raise Mixed(known[2], f"the output is on {known[1]}, the input on {HOME}")
            return

    def _known(self, tensor: Tensor) -> tuple[Any, torch.device, _Origin] | None:
        return self.places.get(_address(tensor)[0])

    def _device(self, tensor: Tensor) -> torch.device:
        known = self._known(tensor)
        return _CPU if known is None else known[1]

    def _origin(self, tensor: Tensor, name: str) -> _Origin:
        # What no torch call made, a legacy constructor's tensor, is made where it is first used.
        known = self._known(tensor)
        return self._here(name) if known is None else known[2]

    def _put(self, tensor: Tensor, device: torch.device, origin: _Origin) -> None:
        address, storage = _address(tensor)
        if storage is not None:
            self.places[address] = (storage, device, origin)

    def _made(self, result: Any, device: torch.device, origin: _Origin) -> Any:
        """Note where a result is; a view of what is known is there already."""
        for tensor in _tensors(result):
            if self._known(tensor) is None:
                self._put(tensor, device, origin)
        return result

    def _here(self, name: str) -> _Origin:
        return ("made", name, line_in(self.path))

    # -- what calls do ---------------------------------------------------------------

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        kwargs = dict(kwargs or {})
        name = getattr(func, "__name__", "")
        if name == "__get__":
            return self._attribute(func, args)
        if name in {"to", "cuda", "cpu", "type", "type_as"}:
            return self._moved(func, name, args, kwargs)
        if name == "get_device":
            place = self._device(args[0])
            return -1 if place == _CPU else place.index
        if name in {"numpy", "__array__"} and self._device(args[0]) != _CPU:
            raise _NoArray(
                ("array", name, line_in(self.path)),
                f"can't convert {self._device(args[0])} device type tensor to numpy. Use "
                "Tensor.cpu() to copy the tensor to host memory first.",
            )
        asked = kwargs.pop("device", None)
        if asked is not None:
            device = _named(asked)
            return self._made(func(*args, **kwargs), device, self._here(name))
        device = self._result_device(name, args, kwargs)
        origin = self._inherited(name, args, kwargs) if device == _CPU else _MOVED
        return self._made(func(*args, **kwargs), device, origin)

    def _result_device(
        self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> torch.device:
        """The device of a call's result. Raise Mixed where its tensors are on two."""
        first = args[0] if args and isinstance(args[0], Tensor) else None
        if name in _FACTORIES:
            copies = first is not None and name in _COPIES
            return self._device(first) if copies and first is not None else _CPU
        if first is not None and (name in _FREE or name.startswith("new") or _likens(name)):
            return self._device(first)
        if name == "__getitem__" and first is not None:
            return self._indexed(first, args[1])
        if name == "__setitem__" and first is not None:
            return self._assigned(name, first, args[1], args[2])
        tensors = list(_tensors((args, kwargs)))
        if not tensors:
            return _CPU
        if name in {"masked_fill", "masked_fill_"} and first is not None:
            return self._filled(first, args, kwargs)
        written = self._written(name, first, kwargs)
        if written is not None:
            return self._into(written, tensors, name)
        return self._joined(tensors, name)

    def _inherited(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Origin:
        """Where what a CPU result is made from came from, itself where from nothing."""
        for tensor in _tensors((args, kwargs)):
            if self._device(tensor) == _CPU:
                return self._origin(tensor, name)
        return self._here(name)

    def _joined(self, tensors: list[Tensor], name: str) -> torch.device:
        """One device for all, but that a CPU tensor without axes may join most operators."""
        found = [self._device(t) for t in tensors]
        away = [d for d in found if d != _CPU]
        if not away:
            return _CPU
        # What is on the inputs' device is where it should be, and another is the stray.
        device = HOME if HOME in away else away[0]
        for tensor, place in zip(tensors, found, strict=True):
            scalar = place == _CPU and tensor.dim() == 0 and name not in _STRICT
            if place != device and not scalar:
                raise self._mixed(tensor, name, device)
        return device

    def _mixed(self, stray: Tensor, name: str, device: torch.device) -> Mixed:
        kind, maker, line = self._origin(stray, name)
        weight = isinstance(stray, nn.Parameter) or isinstance(stray._base, nn.Parameter)  # noqa: SLF001
        return Mixed(
            ("parameter" if weight and kind == "made" else kind, maker, line),
            "Expected all tensors to be on the same device, but found at least two devices, "
            f"{device} and {self._device(stray)}!",
        )

    @staticmethod
    def _written(name: str, first: Tensor | None, kwargs: dict[str, Any]) -> Tensor | None:
        """The tensor that a call writes into, None where it makes a new one."""
        if isinstance(kwargs.get("out"), Tensor):
            return kwargs["out"]
        in_place = name in _ASSIGNED or (name.endswith("_") and not name.endswith("__"))
        return first if in_place else None

    def _into(self, written: Tensor, tensors: list[Tensor], name: str) -> torch.device:
        """A result is no scalar that could join: it must be where the operands are."""
        device = self._joined(tensors, name)
        if device != self._device(written):
            raise self._mixed(written, name, device)
        return device

    def _indexed(self, source: Tensor, key: Any) -> torch.device:
        """Indices may be on the CPU, or where what they index is."""
        device = self._device(source)
        for index in _tensors(key):
            if self._device(index) not in {_CPU, device}:
                raise Mixed(
                    self._origin(source, "__getitem__"),
                    "indices should be either on cpu or on the same device as the indexed tensor "
                    f"({device})",
                )
        return device

    def _assigned(self, name: str, target: Tensor, key: Any, value: Any) -> torch.device:
        """A slice takes values from any device; picked entries take their own, and scalars."""
        device = self._indexed(target, key)
        picked = next(_tensors(key), None) is not None or any(
            isinstance(part, list) for part in (key if isinstance(key, tuple) else (key,))
        )
        if picked and isinstance(value, Tensor) and value.dim() > 0:
            self._joined([target, value], name)
        return device

    def _filled(
        self, target: Tensor, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> torch.device:
        """The mask is where what it masks is; the value may be a scalar from the CPU."""
        device = self._device(target)
        mask = kwargs.get("mask", args[1] if len(args) > 1 else None)
        if isinstance(mask, Tensor) and self._device(mask) != device:
            stray = target if device == _CPU else mask
            # A kernel of torch's own words, which name the argument.
            raise Mixed(
                self._origin(stray, "masked_fill"),
                "expected self and mask to be on the same device, but got mask on "
                f"{self._device(mask)} and self on {device}",
            )
        return device

    def _attribute(self, func: Any, args: tuple[Any, ...]) -> Any:
        name = getattr(getattr(func, "__self__", None), "__name__", "")
        owner = args[0]
        if name == "device":
            return self._device(owner)
        if name in {"is_cuda", "is_cpu"}:
            return (self._device(owner) == _CPU) == (name == "is_cpu")
        return self._made(func(*args), self._device(owner), self._origin(owner, name))

    def _moved(self, func: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """`.to` and its kin: another device is another storage, the same one may be the same."""
        source = args[0]
        old = self._device(source)
        if name == "type" and len(args) + len(kwargs) == 1:
            kind = func(source)
            return kind if old == _CPU else kind.replace("torch.", "torch.cuda.")
        device, dtype = self._asked(name, old, args[1:], kwargs)
        moved = source if dtype is None else source.to(dtype)
        if kwargs.get("copy") or (device != old and moved is source):
            moved = moved.clone()
        if device == _CPU:
            origin = self._origin(source, name) if old == _CPU else self._here(name)
        else:
            origin = _MOVED if device == HOME else self._here(name)
        return self._made(moved, device, origin)

    def _asked(
        self, name: str, device: torch.device, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[torch.device, torch.dtype | None]:
        """The device and dtype that a move asks for."""
        if name in {"cuda", "cpu"}:
            index = kwargs.get("device", args[0] if args and name == "cuda" else None)
            return (_CPU if name == "cpu" else _named("cuda" if index is None else index)), None
        dtype: torch.dtype | None = None
        for value in (*args, *(kwargs.get(word) for word in ("device", "dtype", "other"))):
            if isinstance(value, Tensor):
                device, dtype = self._device(value), value.dtype
            elif isinstance(value, torch.dtype):
                dtype = value
            elif isinstance(value, str) and "Tensor" in value:
                device = HOME if "cuda" in value else _CPU
                dtype = torch.empty(0).type(value.replace(".cuda", "")).dtype
            elif isinstance(value, (torch.device, str, int)) and not isinstance(value, bool):
                device = _named(value)
        return device, dtype


def _named(device: Any) -> torch.device:
    """A device as it is asked for; a GPU without a number is the first."""
    if isinstance(device, int):
        return torch.device("cuda", device)
    found = torch.device(device)
    return torch.device("cuda", found.index or 0) if found.type == "cuda" else found


def _likens(name: str) -> bool:
    return name.endswith("_like")


def _address(tensor: Tensor) -> tuple[int, Any]:
    """A tensor's storage and where it lies; itself where it is in several, as a sparse one is."""
    while _is_wrapped(tensor):
        tensor = _unwrapped(tensor)
    if nn.parameter.is_lazy(tensor):
        return 0, None
    held: Any = tensor
    with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
        held = tensor.untyped_storage()
    return held._cdata, held  # noqa: SLF001 - no public identity


def _kept_by_earlier_calls(thing: Any) -> Iterator[Tensor]:
    """Yield what calls have left in a default argument, and would have left on the GPU there."""
    calls = vars(type(thing)).values() if isinstance(thing, nn.Module) else (thing,)
    for call in calls:
        if isinstance(call, FunctionType):
            defaults = (*(call.__defaults__ or ()), *(call.__kwdefaults__ or {}).values())
            yield from _tensors([one for one in defaults if not isinstance(one, Tensor)])


def _tensors(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from _tensors(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _tensors(item)
