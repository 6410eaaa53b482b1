"""In the candidate's process: which functions a file has, and what their calls do.

How a torch call is spelt, what a result shares with the inputs, and how it lies in memory.
"""

from __future__ import annotations

import dis
import functools
import inspect
import operator
import sys
import types
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch._C._functorch import (
    is_gradtrackingtensor as _is_traced,
)

from ..process.requests import Record
from .loading import Submission, plain
from .recorder import Recorder, ordinary, whole
from .signatures import annotated, parameters_of

__all__ = ["Watch", "facts", "functions"]

# Bound before any submission runs: what it puts in their place is its own affair.
_storage, _strides, _offset = Tensor.untyped_storage, Tensor.stride, Tensor.storage_offset
_contiguous, _numel, _shape = Tensor.is_contiguous, Tensor.numel, Tensor.size
_address = torch.UntypedStorage.data_ptr
_bytes = torch.UntypedStorage.nbytes
_width = Tensor.element_size
_opname = dis.opname
# What makes a function of another, or of a name.
_MAKING = (functools.partial, operator.methodcaller)
_OPERATIONS = ("BINARY_", "INPLACE_", "UNARY_", "COMPARE_", "STORE_SUBSCR")
_MODULES = {
    "torch": "torch.",
    "torch.functional": "torch.",
    "torch.nn.functional": "F.",
    "torch._C._nn": "F.",
    "torch._C._special": "torch.special.",
}
_SIGNS = {
    "matmul": "@", "mul": "*", "add": "+", "sub": "-", "div": "/", "true_divide": "/", "pow": "**",
    "rpow": "**", "invert": "~",
    "and": "&", "or": "|", "bitwise_and": "&", "bitwise_or": "|", "bitwise_not": "~",
    "neg": "-", "rsub": "-", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=",
    "floor_divide": "//", "remainder": "%", "getitem": "[]", "setitem": "[]=",
}  # fmt: skip


class Watch(Recorder):
    """Record how each call is spelt too: `@`, `torch.matmul` or `Tensor.matmul`.

    held: the addresses of the inputs' memory. names, weights, record: as a recorder's. A growing
    record keeps only the steps whose result is larger than any before, so that a long loop leaves
    a short one. In every step `spelt` says how it was written, `fresh` how many entries the
    memory of its result has, 0 where an input has it, and `derives` whether gradients are to be
    taken through it.
    """

    flattest = 0

    def __init__(
        self, path: str, held: set[int], names: dict[int, str], weights: dict[int, str],
        record: Record,
    ) -> None:  # fmt: skip
        super().__init__(path, names, weights, record)
        self.held = held
        self.growing = record.growing
        self.most = 0

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        frame = sys._getframe(1)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - see frames
        before = len(self.steps)
        result = super().__torch_function__(func, types, args, kwargs)
        if len(self.steps) > before:
            spelt = _spelt(func, frame, self.path)
            for step in self.steps[before:]:
                step["spelt"] = spelt
                step["fresh"] = self._fresh(result)
                step["derives"] = _derives(result)
            if self.growing:
                self._keep_larger(before)
        return result

    def _keep_larger(self, before: int) -> None:
        larger = [step for step in self.steps[before:] if step["fresh"] > self.most]
        self.steps[before:] = larger[:1]
        self.most = max((step["fresh"] for step in larger), default=self.most)

    def _fresh(self, result: Any) -> int:
        many = result if isinstance(result, (tuple, list)) else [result]
        made = [whole(one) for one in many if isinstance(one, Tensor)]
        made = [one for one in made if ordinary(one)]
        return max((_entries(one) for one in made if _place(one) not in self.held), default=0)


def _derives(result: Any) -> bool:
    many = result if isinstance(result, (tuple, list)) else [result]
    # What torch.func wraps does not always say so itself.
    return any(isinstance(one, Tensor) and (one.requires_grad or _is_traced(one)) for one in many)


def functions(submission: Submission) -> list[dict[str, Any]]:
    """Describe everything in the file that can be called and is no class."""
    found: list[dict[str, Any]] = []
    for name, value in list(submission.module.__dict__.items()):
        described = _described(name, value, submission.path)
        if described is not None:
            found.append(described)
    return found


def _described(name: str, value: Any, path: str) -> dict[str, Any] | None:
    try:
        inner: Any = inspect.unwrap(value) if type(value) is types.FunctionType else value
        while type(inner) is functools.partial:
            inner = inner.func
        # What is made of a library's function by the file is the file's.
        made_here = getattr(inner, "__module__", None) == "submission" or type(value) in _MAKING
        own = made_here or isinstance(inner, nn.Module)
        if isinstance(value, type) or not own or not callable(value):
            return None
        code = getattr(inner, "__code__", None)
        if code is not None and code.co_filename != path:
            return None
        return {
            "name": plain(str(name)),
            "line": code.co_firstlineno if code is not None else None,
            "arguments": _arguments(value),
        }
    except Exception:  # noqa: BLE001 - what answers no question is no function to be judged
        return None


def _arguments(value: Any) -> list[dict[str, Any]] | None:
    try:
        called = value.forward if isinstance(value, nn.Module) else value
        parameters = parameters_of(called)
    except (TypeError, ValueError):
        return None
    return [
        {
            "name": plain(one.name),
            "kind": one.kind.name,
            "has_default": one.default is not inspect.Parameter.empty,
            # What kind of thing it takes shows in a switch or a number that it is without.
            "default": one.default if type(one.default) in {bool, int, float} else None,
            "annotation": annotated(one.annotation),
        }
        for one in parameters
    ]


def facts(result: Any, given: dict[str, Tensor], shapes: Sequence[list[int]]) -> dict[str, Any]:
    """Say what came back: its tensors in order, and how the first lies in memory.

    shapes: those asked for. Of more tensors than these the rest are left away.
    """
    items = list(result) if isinstance(result, (tuple, list)) else [result]
    tensors = [item for item in items if isinstance(item, Tensor)][: max(1, len(shapes))]
    if not tensors or not all(map(ordinary, tensors)):
        return {}
    first = tensors[0]
    if len(shapes) == 1 and isinstance(result, (tuple, list)):
        fitting = [t for t in items if isinstance(t, Tensor) and list(_shape(t)) == shapes[0]]
        first = fitting[0] if fitting else first
    return {
        "outs": tensors,
        "many": len(items) if isinstance(result, (tuple, list)) else 0,
        "strides": list(_strides(first)),
        "contiguous": _contiguous(first),
        "shares": [name for name, tensor in given.items() if _place(tensor) == _place(first)],
        "entries": _entries(first),
    }


def _place(tensor: Tensor) -> int:
    return _address(_storage(tensor))


def _entries(tensor: Tensor) -> int:
    """How many entries the memory behind a tensor holds; a view of a part counts as its part."""
    return min(_numel(tensor), _bytes(_storage(tensor)) // max(1, _width(tensor)))


def _spelt(func: Any, frame: types.FrameType | None, path: str) -> str:
    name = getattr(func, "__name__", str(func))
    if name == "__get__":
        # A property, such as `mT`.
        name = getattr(getattr(func, "__self__", None), "__name__", name)
    bare = name.strip("_")
    while frame is not None and frame.f_code.co_filename != path:
        if frame.f_globals.get("__name__", "").partition(".")[0] != "torch":
            break
        frame = frame.f_back
    if frame is not None and frame.f_code.co_filename == path and bare in _SIGNS:
        operation = _opname[frame.f_code.co_code[frame.f_lasti]]
        if operation.startswith(_OPERATIONS):
            return _SIGNS[bare]
    module = getattr(func, "__module__", None)
    if module in _MODULES:
        return _MODULES[module] + name
    return f"Tensor.{name}" if hasattr(Tensor, name) else name
