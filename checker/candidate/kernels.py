"""In the candidate's process: Triton's kernels in its interpreter, on tensors of the CPU.

Triton reads as it is imported whether its interpreter is on, so that nothing here is imported
before a file that has kernels is run. A kernel's pointers are addresses: what it reads or writes
outside of the tensors that it was given would end the process, or go unseen, and is refused here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any

import torch
from torch import Tensor
from torch.overrides import (
    TorchFunctionMode,
    _get_current_function_mode,  # pyright: ignore[reportPrivateUsage] - no public one
    handle_torch_function,
)

from .recorder import Recorder

__all__ = ["LAUNCH", "OutsideTensors", "compile_kernels", "interpret"]

# How rules and recorded steps call a kernel's launch, as it is written.
LAUNCH = "kernel[grid]"

_disabled = torch._C.DisableTorchFunction  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - torch's own
_modes: Callable[[], int] = torch._C._len_torch_function_stack  # noqa: SLF001 # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue] - as above


class OutsideTensors(IndexError):
    """A kernel reads or writes memory that belongs to none of its tensors."""


def compile_kernels() -> None:
    """Have kernels compiled for a real device, and what comes of it kept where may be written."""
    os.environ.pop("TRITON_INTERPRET", None)
    os.environ["TRITON_CACHE_DIR"] = os.path.join(os.getcwd(), ".triton")  # noqa: PTH109, PTH118 - text


def interpret() -> None:
    """Have kernels interpreted, from now on and for good; nothing where Triton is not there."""
    os.environ["TRITON_INTERPRET"] = "1"
    try:
        triton: Any = import_module("triton")
        interpreter: Any = import_module("triton.runtime.interpreter")
    except ImportError:
        # The file's own import says so, with its line.
        return
    # An exception in a kernel comes as it was raised, with the kernel's line.
    triton.knobs.compilation.front_end_debugging = True
    device_function = interpreter.InterpretedFunction
    device_function.__call__ = _unwrapped(device_function.__call__, interpreter.InterpreterError)
    memory = _Memory(interpreter._interpreter)  # noqa: SLF001
    interpreter._interpreter = memory  # noqa: SLF001
    interpreter._patch_lang_tensor = _indexing(interpreter._patch_lang_tensor)  # noqa: SLF001
    scopes = _Scopes(interpreter)
    interpreter._patch_lang = scopes.patch  # noqa: SLF001
    executor = interpreter.GridExecutor
    run, take, give = executor.__call__, executor._init_args_hst, executor._restore_args_dev  # noqa: SLF001

    def launch(self: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        memory.given = sorted(set(_spans((args, kwargs))))
        with scopes:
            run(self, *args, **kwargs)

    # What watches torch calls sees a launch as one of them.
    launch.__name__ = LAUNCH

    def called(self: Any, *args: Any, **kwargs: Any) -> None:
        if not _modes():
            launch(self, args, kwargs)
            return
        memory.watch = _get_current_function_mode()
        handle_torch_function(launch, (), self, args, kwargs)
        memory.watch = None

    def quietly(function: Callable[..., Any]) -> Callable[..., Any]:
        def unseen(*args: Any) -> Any:
            with _disabled():
                return function(*args)

        return unseen

    executor.__call__ = called
    executor._init_args_hst, executor._restore_args_dev = quietly(take), quietly(give)  # noqa: SLF001


def _unwrapped(call: Callable[..., Any], wrapped: type[Exception]) -> Callable[..., Any]:
    """A call of a function by a kernel that raises what is raised inside, with its line there."""

    def called(*args: Any, **kwargs: Any) -> Any:
        try:
            return call(*args, **kwargs)
        except wrapped as fault:
            raise fault.__cause__ or fault from None

    return called


def _indexing(patch: Callable[..., None]) -> Callable[..., None]:
    """Have a kernel's number count as one in `range`.

    Triton up to 3.6 makes an int of an array with an axis, which NumPy refuses from 2.5 on.
    """

    def patched(tensor: Any, *scope: Any) -> None:
        patch(tensor, *scope)
        tensor.__index__ = _as_index

    return patched


def _as_index(number: Any) -> int:
    return int(number.handle.data.item())


class _Scopes:
    """Puts the interpreter's operators in the language's place once a launch.

    A function that a kernel calls would have it done again, which takes most of a launch's time.
    """

    def __init__(self, interpreter: Any) -> None:
        self.language = interpreter.tl
        self.patch_anew = interpreter._patch_lang  # noqa: SLF001
        self.held: set[str] = set()
        self.kept: set[str] = set()

    def __enter__(self) -> None:
        self.held = set()

    def __exit__(self, *_: object) -> None:
        self.held = set()

    def patch(self, function: Any) -> Any:
        """Do it for a kernel, and for a function that it calls where that is the first to ask."""
        modules = {self.language.__name__, self.language.core.__name__}
        spoken = {getattr(v, "__name__", "") for v in function.__globals__.values()} & modules
        first = not self.held
        if not first and spoken <= self.held | self.kept:
            return None
        if first:
            self.held = spoken
        else:
            self.kept |= spoken
        return self.patch_anew(function)


class _Memory:
    """The interpreter's memory, with a fence around the tensors that a kernel was given."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.given: list[tuple[int, int]] = []
        self.watch: TorchFunctionMode | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def load(self, places: Any, mask: Any, other: Any, dtype: Any) -> Any:
        self._inside("reads", places, mask, dtype.itemsize)
        values = self.inner.load(places, mask, other, dtype)
        self._note(_load, values)
        return values

    def store(self, places: Any, values: Any, mask: Any) -> Any:
        self._inside("writes", places, mask, values.dtype.itemsize)
        self._note(_store, values)
        return self.inner.store(places, values, mask)

    def atomic_rmw(self, kind: Any, places: Any, values: Any, mask: Any, order: Any) -> Any:
        self._inside("writes", places, mask, values.dtype.itemsize)
        return self.inner.atomic_rmw(kind, places, values, mask, order)

    def atomic_cas(self, places: Any, old: Any, new: Any, order: Any) -> Any:
        self._inside("writes", places, True, new.dtype.itemsize)
        return self.inner.atomic_cas(places, old, new, order)

    def _note(self, kind: Callable[[Tensor], Tensor], values: Any) -> None:
        """Have what a kernel loads or stores recorded, on the kernel's line."""
        if isinstance(self.watch, Recorder) and values.dtype.kind == "f":
            with self.watch:
                handle_torch_function(kind, (), torch.from_numpy(values.copy()))

    def _inside(self, does: str, places: Any, mask: Any, width: int) -> None:
        """Raise where a lane that the mask lets through is in none of the tensors."""
        inside = sum((low <= places) & (places + width <= high) for low, high in self.given)
        if ((inside == 0) & mask).any():
            whole = mask is True or bool(mask.all())
            through = "" if whole else ", by lanes that its mask lets through"
            raise OutsideTensors(
                f"the kernel {does} outside of the tensors that it was given{through}"
            )


def _load(values: Tensor) -> Tensor:
    return values


def _store(values: Tensor) -> Tensor:
    return values


_load.__name__, _store.__name__ = "load", "store"


def _spans(value: Any) -> Iterator[tuple[int, int]]:
    """The memory of all tensors in some arguments: from where and to where."""
    if isinstance(value, Tensor):
        with _disabled():
            held = value.untyped_storage()
            yield held.data_ptr(), held.data_ptr() + held.nbytes()
    elif isinstance(value, (tuple, list)):
        for one in value:
            yield from _spans(one)
    elif isinstance(value, Mapping):
        yield from _spans(list(value.values()))
    elif hasattr(value, "base"):
        # A descriptor, or a tensor under another dtype.
        yield from _spans(value.base)
