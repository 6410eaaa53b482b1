"""Which part of a result is wrong where another part is right: a sample, a head, some positions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, takewhile

import torch
from torch import Tensor

from ..judge.finding import Finding
from ..judge.trials import Trial
from ..report.message import Said, say

__all__ = ["whereabouts"]

# Of more runs of places nobody sees which they are; of more rows an order says little.
_RUNS, _ROWS = 3, 12


def whereabouts(finding: Finding[Trial], axes: Sequence[str]) -> Said:
    """Say which of several results is wrong, or which part of one; "" where nothing is right.

    axes: the names of the result's axes.
    """
    trial, mine, right = finding.trial, finding.actual, finding.expected
    if finding.kind != "values" or mine is None or right is None or finding.gap is None:
        return ""
    names = [result.name for result in trial.function.results]
    # They are looked at in order.
    fine = [f"`{name}`" for name in takewhile(lambda one: one != finding.name, names)]
    if fine and finding.name in names:
        return say("spots-result", wrong=finding.name, right=fine)
    known = mine.shape == right.shape and len(axes) == right.dim()
    off = trial.bound * finding.gap.scale
    return _spots(mine, right, axes, off, trial.kept(right)) if known else ""


def _spots(
    mine: Tensor, right: Tensor, axes: Sequence[str], off: float, keep: Tensor | None
) -> Said:
    """Say along which axis a result is wrong in part, or right in another order; "" for neither.

    off: how far apart entries may be. keep: those that count, None for all.
    """
    counts = torch.ones_like(right, dtype=torch.bool) if keep is None else keep.expand_as(right)
    wrong = ~_close(mine, right, off) & counts
    found: list[tuple[float, Said]] = []
    for at, axis in enumerate(axes):
        rows = [each.any(1).tolist() for each in (_rows(wrong, at), _rows(counts, at))]
        if keep is None and 1 < len(rows[0]) <= _ROWS:
            order = _order(_rows(mine, at), _rows(right, at), off)
            if order is not None:
                return say("spots-order", axis=axis, order=", ".join(map(str, order)))
        fine = [counted and not bad for bad, counted in zip(*rows, strict=True)]
        told = {"wrong": _runs(rows[0]), "right": _runs(fine)}
        if all(told.values()):
            share = sum(rows[0]) / len(fine)
            found.append((share, say("spots-part", axis=axis, **told)))
    return min(found, key=lambda one: one[0])[1] if found else ""


def _rows(values: Tensor, axis: int) -> Tensor:
    """A row for each place along an axis."""
    return values.movedim(axis, 0).reshape(values.shape[axis], -1)


def _close(mine: Tensor, right: Tensor, off: float) -> Tensor:
    return torch.isclose(mine.double(), right.double(), rtol=0, atol=off, equal_nan=True)


def _runs(chosen: Sequence[bool]) -> str:
    """The places that are chosen, "0, 3–7"; "" for none, or for too many runs."""
    runs = [[*run] for some, run in groupby(range(len(chosen)), chosen.__getitem__) if some]
    told = [f"{run[0]}" if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs]
    return ", ".join(told) if len(told) <= _RUNS else ""


def _order(mine: Tensor, right: Tensor, off: float) -> list[int] | None:
    """Which row of what is right each row is, where each is one alone."""
    alike = _close(mine[:, None], right[None], off).all(-1)
    once = bool((alike.sum(0) == 1).all()) and bool((alike.sum(1) == 1).all())
    return alike.int().argmax(1).tolist() if once else None
