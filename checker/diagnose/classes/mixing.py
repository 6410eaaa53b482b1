"""Whether the samples of a batch reach into each other, and on which line they first do.

A sample alone and the same sample in a batch must give the same numbers. Every traced
value of a batch is looked up in the traces of its samples alone: a value that none of
them has was mixed, and a tensor whose samples lie along no one axis soon will be.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from ...judge.classes.cases import Case
from ...judge.classes.examine import Examination
from ...judge.classes.occasion import arrange, hold
from ...judge.compare import VALUE_BOUND, alike
from ..milestones import HIDDEN, Step

__all__ = ["mixed"]

# A number of samples that no reshape of 2, 3 or 4 parts happens to keep apart.
_BATCH = 5
_LENGTH = 4
_MIXED = -1
_RESHAPES = {"view", "reshape", "flatten", "unflatten"}


def mixed(examination: Examination) -> tuple[bool, int | None]:
    """Return whether samples of one batch change each other's outputs, and the line."""
    masks = [False, True] if examination.takes_mask and examination.forms else [False]
    for masked in masks:
        together, alone = _calls(examination, masked=masked)
        outs = [answer.get("out") for answer in (together, *alone)]
        if not all(isinstance(out, Tensor) for out in outs):
            continue
        whole, parts = outs[0], torch.cat(outs[1:])  # type: ignore[arg-type]
        assert isinstance(whole, Tensor)
        if whole.shape != parts.shape or alike(parts, whole, VALUE_BOUND):
            continue
        return True, _line(together.get("steps", []), [a.get("steps", []) for a in alone])
    return False, None


def _calls(
    examination: Examination, *, masked: bool
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """One call with a batch, and one with each of its samples."""
    size = examination.sizes[0]
    keys = _LENGTH + 1 if examination.cross else _LENGTH
    case = Case(
        check="", batch=_BATCH, queries=_LENGTH, keys=keys, mask="random" if masked else None
    )
    call = arrange(examination, case, size).call
    record = {"values": True, "only_dropout": []}
    calls = [dict(call, record=record)]
    for sample in range(_BATCH):
        inputs = {
            name: tensor[sample : sample + 1] if tensor.shape[:1] == (_BATCH,) else tensor
            for name, tensor in call["inputs"].items()
        }
        calls.append(dict(call, inputs=inputs, record=record))
    answers = hold(examination, size, calls)["answers"]
    return answers[0], answers[1:]


def _line(together: list[Step], alone: list[list[Step]]) -> int | None:
    known = [
        torch.cat(
            [v.double().flatten() for step in steps for v in _tensors(step)] or [torch.empty(0)]
        )
        .sort()
        .values
        for steps in alone
    ]
    folded = None
    in_step = all(len(steps) == len(together) for steps in alone)
    for number, step in enumerate(together):
        if in_step and _count(step) != sum(_count(steps[number]) for steps in alone):
            return step["line"]
        for tensor in _tensors(step):
            owners = _owners(tensor.double(), known)
            if bool((owners == _MIXED).any()):
                return folded if folded is not None else step["line"]
            if not _apart(owners):
                return step["line"]
        wide = step["shape"] is not None and _BATCH * _LENGTH in step["shape"]
        if wide and step["call"] in _RESHAPES and folded is None:
            folded = step["line"]
    return None


def _count(step: Step) -> int:
    """How many scores a step has hidden."""
    return sum(int((v < HIDDEN).sum()) for v in step.get("values", [])) if step["lines"] else 0


def _tensors(step: Step) -> list[Tensor]:
    return [*step.get("values", []), *step.get("marks", [])] if step["lines"] else []


def _owners(tensor: Tensor, known: list[Tensor]) -> Tensor:
    """Which sample each value belongs to; -2 where several have it, _MIXED where none does."""
    owners = torch.full(tensor.shape, _MIXED)
    for number, values in enumerate(known):
        if values.numel() == 0:
            continue
        place = torch.searchsorted(values, tensor.contiguous()).clamp(0, values.numel() - 1)
        before = (place - 1).clamp(0)
        off = torch.minimum((values[place] - tensor).abs(), (values[before] - tensor).abs())
        held = (off <= 1e-9 * (1 + tensor.abs())) | ~torch.isfinite(tensor)
        owners = torch.where(held, torch.where(owners == _MIXED, number, -2), owners)
    return owners


def _apart(owners: Tensor) -> bool:
    """Whether the samples lie along one axis."""
    if owners.dim() == 0 or len(owners[owners >= 0].unique()) < 2:
        return True
    for axis in range(owners.dim()):
        rows = owners.movedim(axis, 0).flatten(1)
        if all(len(row[row >= 0].unique()) <= 1 for row in rows):
            return True
    return False
