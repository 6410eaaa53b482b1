"""Which part of a result is wrong where another part is right: a sample, a head, some positions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

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
    fine = [f"`{name}`" for name in names[: names.index(finding.name)]]
    if fine:
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
    wrong = ~_close(mine, right, off)
    if keep is not None:
        wrong &= keep.expand_as(wrong)
    found: list[tuple[float, Said]] = []
    for at, axis in enumerate(axes):
        rows = _rows(wrong, at).any(1).tolist()
        if keep is None and 1 < len(rows) <= _ROWS:
            order = _order(_rows(mine, at), _rows(right, at), off)
            if order is not None:
                return say("spots-order", axis=axis, order=", ".join(map(str, order)))
        if not all(rows) and (text := _in_part(axis, rows)):
            found.append((sum(rows) / len(rows), text))
    return min(found, key=lambda one: one[0])[1] if found else ""


def _rows(values: Tensor, axis: int) -> Tensor:
    """A row for each place along an axis."""
    return values.movedim(axis, 0).reshape(values.shape[axis], -1)


def _close(mine: Tensor, right: Tensor, off: float) -> Tensor:
    return torch.isclose(mine.double(), right.double(), rtol=0, atol=off, equal_nan=True)


def _in_part(axis: str, rows: Sequence[bool]) -> Said:
    """Which places along an axis are wrong, and which are right; "" for too many runs."""
    runs = [[*run] for _, run in groupby(range(len(rows)), rows.__getitem__)]
    if len(runs) > 2 * _RUNS:
        return ""
    told = {
        side: ", ".join(_run(run) for run in runs if rows[run[0]] is (side == "wrong"))
        for side in ("wrong", "right")
    }
    return say("spots-part", axis=axis, **told)


def _run(places: Sequence[int]) -> str:
    return f"{places[0]}" if len(places) == 1 else f"{places[0]}–{places[-1]}"


def _order(mine: Tensor, right: Tensor, off: float) -> list[int] | None:
    """Which row of what is right each row is, where each is one alone."""
    alike = _close(mine[:, None], right[None], off).all(-1)
    once = bool((alike.sum(0) == 1).all()) and bool((alike.sum(1) == 1).all())
    return alike.int().argmax(1).tolist() if once else None
