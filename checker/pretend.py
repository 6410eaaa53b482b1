"""In the candidate's process: a pretended GPU, for machines that have none.

Every tensor carries a device of its own: the inputs, parameters and buffers are said to
be on `cuda:0`, what a factory makes without `device=` is on the CPU, and what mixes the
two raises torch's own words. The arithmetic happens on the CPU all the while. Rules from
torch's documentation (Tensor Attributes: torch.device; CUDA semantics): a CPU tensor
without axes may join CUDA tensors, indices may be on the CPU, copies cross devices.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from .frames import line_in

__all__ = ["Mixed", "PretendedGPU"]

_CUDA = torch.device("cuda:0")
_CPU = torch.device("cpu")

_FACTORIES = {
    "zeros", "ones", "full", "empty", "arange", "linspace", "eye", "tensor", "as_tensor", "rand",
    "randn", "randint", "randperm", "tril_indices", "triu_indices", "from_numpy", "logspace",
    "empty_strided", "scalar_tensor", "normal", "asarray", "range", "sparse_coo_tensor",
}  # fmt: skip
_FREE = {"to", "copy_", "cpu", "cuda", "type_as", "set_", "is_same_size", "__setitem__", "size",
         "dim", "numel", "item", "tolist", "__len__", "__repr__", "__format__", "is_floating_point",
         "requires_grad_", "get_device", "__bool__", "__int__", "__float__", "__index__",
         "expand_as", "view_as", "reshape_as", "stride", "register_hook"}  # fmt: skip


class Mixed(RuntimeError):
    """Two devices met. origin: where the CPU tensor came from (kind, name, line)."""

    def __init__(self, origin: tuple[str, str, int | None]) -> None:
        super().__init__(
            "Expected all tensors to be on the same device, but found at least two devices, "
            "cuda:0 and cpu!"
        )
        self.origin = origin


class PretendedGPU(TorchFunctionMode):
    """Carries a pretended device with each tensor that torch calls make or take."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path

    def place(self, thing: Any, inputs: Iterable[Tensor]) -> None:
        """Put a module's parameters and buffers and the inputs on the pretended GPU.

        What the module keeps in plain attributes stays behind, as `.to()` leaves it.
        """
        if isinstance(thing, nn.Module):
            for tensor in (*thing.parameters(), *thing.buffers()):
                _mark(tensor, _CUDA, ("", "", None))
            for module in thing.modules():
                self._leave(vars(module))
        for tensor in inputs:
            _mark(tensor, _CUDA, ("", "", None))

    def _leave(self, held: dict[str, Any]) -> None:
        for name, value in held.items():
            if isinstance(value, Tensor):
                _mark(value, _CPU, ("attribute", name, None))

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        kwargs = dict(kwargs or {})
        name = getattr(func, "__name__", "")
        if name == "__get__":
            return self._attribute(func, args)
        if name == "to":
            return self._moved(func, args, kwargs)
        if name in {"cuda", "cpu"}:
            return _marked(args[0].clone(), _CUDA if name == "cuda" else _CPU, self._here(name))
        if name == "numpy" and _device(args[0]) == _CUDA:
            raise TypeError(
                "can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the "
                "tensor to host memory first."
            )
        asked = kwargs.pop("device", None)
        if asked is None and name in _FACTORIES:
            return _marked(func(*args, **kwargs), _CPU, self._here(name))
        device, origin = self._join(name, args, kwargs)
        if name == "type_as":
            device = _device(args[1])
        if asked is not None:
            device = _CUDA if torch.device(asked).type == "cuda" else _CPU
            origin = self._here(name) if device == _CPU else ("", "", None)
        return _marked(func(*args, **kwargs), device, origin)

    def _join(
        self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[torch.device, tuple[str, str, int | None]]:
        """The device of a call's result; Mixed where its tensors are on two."""
        tensors = list(_tensors((args, kwargs)))
        if not tensors:
            return _CPU, self._here(name)
        if name in _FREE:
            return _device(tensors[0]), _origin(tensors[0])
        if name in {"__getitem__", "index_select", "index"} and _device(tensors[0]) == _CUDA:
            return _CUDA, ("", "", None)
        on_cuda = [t for t in tensors if _device(t) == _CUDA]
        on_cpu = [t for t in tensors if _device(t) == _CPU]
        if on_cuda and any(t.dim() > 0 for t in on_cpu):
            raise Mixed(_origin(next(t for t in on_cpu if t.dim() > 0)))
        if on_cuda:
            if name in {"masked_fill_", "masked_fill", "where"}:
                wide = [t for t in on_cpu if t.dtype == torch.bool]
                if wide:
                    raise Mixed(_origin(wide[0]))
            return _CUDA, ("", "", None)
        # What no torch call made, a legacy constructor's tensor, is made where it is first used.
        return _CPU, vars(tensors[0]).get("_origin", self._here(name))

    def _attribute(self, func: Any, args: tuple[Any, ...]) -> Any:
        name = getattr(getattr(func, "__self__", None), "__name__", "")
        owner = args[0]
        if name == "device":
            return _device(owner)
        if name == "is_cuda":
            return _device(owner) == _CUDA
        return _marked(func(*args), _device(owner), _origin(owner))

    def _moved(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        source = args[0]
        device = _device(source)
        kept: list[Any] = []
        for value in args[1:]:
            if isinstance(value, Tensor):
                device = _device(value)
                kept.append(value.dtype)
            elif isinstance(value, (torch.device, str)):
                device = _CUDA if torch.device(value).type == "cuda" else _CPU
            elif isinstance(value, int) and not isinstance(value, bool):
                device = _CUDA
            else:
                kept.append(value)
        if (asked := kwargs.pop("device", None)) is not None:
            device = _CUDA if torch.device(asked).type == "cuda" else _CPU
        moved = func(source, *kept, **kwargs) if kept or kwargs else source
        if moved is source:
            moved = source.view_as(source)
        if device == _CPU and "_origin" in vars(source) and _device(source) == _CPU:
            return _marked(moved, device, _origin(source))
        return _marked(moved, device, self._here("to") if device == _CPU else ("", "", None))

    def _here(self, name: str) -> tuple[str, str, int | None]:
        return ("made", name, line_in(self.path))


def _tensors(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from _tensors(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _tensors(item)


def _device(tensor: Tensor) -> torch.device:
    return vars(tensor).get("_pretended", _CPU)


def _origin(tensor: Tensor) -> tuple[str, str, int | None]:
    return vars(tensor).get("_origin", ("made", "", None))


def _mark(tensor: Tensor, device: torch.device, origin: tuple[str, str, int | None]) -> None:
    vars(tensor)["_pretended"] = device
    vars(tensor)["_origin"] = origin


def _marked(result: Any, device: torch.device, origin: tuple[str, str, int | None]) -> Any:
    for tensor in _tensors(result):
        _mark(tensor, device, origin)
    return result
