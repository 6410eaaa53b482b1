"""On which line the samples of a batch first reach into each other.

A sample alone and the same sample in a batch must give the same numbers. Every traced
value of a batch is looked up in the traces of its samples alone: a value that none of
them has was mixed, and a tensor whose samples lie along no one axis soon will be.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

import torch
from torch import Tensor

from ..process.answers import Step
from .expressions import called, calls, name_of
from .milestones import HIDDEN

__all__ = ["mixing_line", "number_line"]

_MIXED = -1
_RESHAPES = {"view", "reshape", "flatten", "unflatten"}
# What makes a number of a tensor, and what makes one entry of all.
_NUMBERS = {"int", "float", "bool", "item", "tolist"}
_REDUCED = {"min", "max", "amin", "amax", "sum", "mean", "any", "all"}


def mixing_line(together: Sequence[Step], alone: Sequence[Sequence[Step]], rows: int) -> int | None:
    """Return the line at which the steps of a batch hold what no sample's own steps do.

    rows: batch times length, the size of an axis in which they are folded into one.
    """
    known = [
        torch.cat(
            [v.double().flatten() for step in steps for v in _tensors(step)] or [torch.empty(0)]
        )
        .sort()
        .values
        for steps in alone
    ]
    folded = taken = None
    in_step = all(len(steps) == len(together) for steps in alone)
    for number, step in enumerate(together):
        if in_step and _count(step) != sum(_count(steps[number]) for steps in alone):
            return step.line
        for tensor in _tensors(step):
            owners = _owners(tensor.double(), known)
            if bool((owners == _MIXED).any()):
                return folded if folded is not None else step.line
            if not _apart(owners):
                return step.line
            if bool((owners > 0).any()):
                taken = None
            elif bool((owners == 0).any()):
                # Of all samples the first alone.
                taken = taken or step.line
        wide = step.shape is not None and rows in step.shape
        if wide and step.call in _RESHAPES and folded is None:
            folded = step.line
    return taken


def number_line(tree: ast.AST) -> int | None:
    """The one line on which a number is made of all entries of a tensor, so of all samples.

    No step is traced there. Where there are several lines, none.
    """
    many = (one for one in calls(tree) if called(one) in _NUMBERS)
    lines = {one.lineno for one in many if any(map(_of_all, calls(one)))}
    return lines.pop() if len(lines) == 1 else None


def _of_all(call: ast.Call) -> bool:
    """Whether a call reduces all axes of a tensor: `x.max()`, `torch.max(x)`."""
    of_torch = isinstance(call.func, ast.Attribute) and name_of(call.func.value) == "torch"
    return called(call) in _REDUCED and not call.keywords and len(call.args) == of_torch


def _count(step: Step) -> int:
    """How many scores a step has hidden."""
    return sum(int((v < HIDDEN).sum()) for v in step.values) if step.lines else 0


def _tensors(step: Step) -> list[Tensor]:
    return [*step.values, *step.marks] if step.lines else []


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
