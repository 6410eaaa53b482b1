"""In the candidate's process: a call's description, turned into tensors and arguments."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from ..process.laid import strided
from ..process.requests import Call, Handed, Input, Kept
from .stand_in import stand_in

__all__ = ["handed"]


def handed(
    call: Call,
    dtype: torch.dtype,
    place: torch.device | None,
    kept: dict[str, Any],
    before: dict[str, Tensor],
) -> tuple[dict[str, Tensor], list[Any], dict[str, Any]]:
    """Return a call's tensors by name, its arguments, and those by keyword.

    place: where the tensors go, where that is not the CPU. kept: what earlier calls gave back.
    before: the tensors of the call before, into which those are written that are to be.
    """
    given: dict[str, Tensor] = {}

    def value_of(item: Handed) -> Any:
        if isinstance(item, Kept):
            return kept.get(item.name)
        if not isinstance(item, Input):
            return item
        name, models = item.name, call.models
        if name not in given:
            tensor = _prepared(item, call, dtype, place)
            given[name] = _written(tensor, before.get(name)) if call.over else tensor
        return stand_in(given[name], models[name]) if name in models else given[name]

    args = [value_of(item) for item in call.args]
    kwargs = {name: value_of(item) for name, item in call.kwargs.items()}
    return given, args, kwargs


def _prepared(item: Input, call: Call, dtype: torch.dtype, place: torch.device | None) -> Tensor:
    tensor = call.inputs[item.name]
    if tensor.is_floating_point() and not item.keep:
        tensor = tensor.to(dtype)
    if place is not None:
        tensor = tensor.to(place)
    if item.lies:
        tensor = strided(tensor, item.lies)
    if call.grad is not None and tensor.is_floating_point() and not item.keep:
        tensor = tensor.detach().requires_grad_(True)
    return tensor


def _written(tensor: Tensor, before: Tensor | None) -> Tensor:
    """What is given once more, changed in place; as it is where it does not fit."""
    if before is None or before.requires_grad or (before.shape, before.dtype) != (
        tensor.shape, tensor.dtype
    ):  # fmt: skip
        return tensor
    return before.copy_(tensor)
