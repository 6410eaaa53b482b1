"""The steps of one call: which of the model answer's it reaches, and where it departs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from ...kata.sizes import Sizes
from ..milestones import Step as Traced
from ..relation import relation
from ..report import Departure, Step
from .holding import holding
from .trials import Trial

__all__ = ["Flow", "axis_names", "follow"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """A traced call. reached: steps of the model answer by the traced step that holds them.

    missing: the first that nothing holds, and nothing made from it either. culprit: the traced
    step that was to make it.
    """

    trial: Trial
    right: dict[str, Tensor]
    reached: dict[int, list[str]]
    missing: str | None
    culprit: int | None
    since: int

    def steps(self, sizes: Sizes, *, told: bool) -> list[Step]:
        """The steps as a report carries them. told: whether a departure is spoken of."""
        rows = []
        for place, step in enumerate(self._traced):
            shape = step["shape"]
            if shape is None:
                continue
            rows.append(
                Step(
                    line=step["line"],
                    call=step.get("spelt", step["call"]),
                    shape=shape,
                    milestone=", ".join(self.reached.get(place, [])) or None,
                    missed=self.missing if told and place == self.culprit else None,
                    axes=axis_names(shape, self.trial.case.sizes, sizes),
                )
            )
        return rows

    def departure(self, language: str) -> Departure | None:
        """Say where the submission first departs, None where it does not."""
        if self.missing is None:
            return None
        steps = self._traced
        line = None if self.culprit is None else steps[self.culprit]["line"]
        since = steps[self.since]["line"] if self.since >= 0 else None
        right = self.right[self.missing]
        held = steps[self.culprit].get("values", []) if self.culprit is not None else []
        others = {n: v for n, v in self.right.items() if n != self.missing}
        floats = {n: v for n, v in others.items() if v.is_floating_point()}
        fits = bool(held) and right.is_floating_point()
        message = relation(right, held, floats, language) if fits else ""
        return Departure(milestone=self.missing, line=line, since=since, message=message)

    @property
    def _traced(self) -> list[dict[str, Any]]:
        return self.trial.answer.get("steps", [])


def follow(trial: Trial, right: dict[str, Tensor]) -> Flow:
    """Hold a traced call against the model answer's named steps."""
    steps: Sequence[Traced] = trial.answer.get("steps", [])
    places = {id(step): place for place, step in enumerate(steps)}
    at: dict[str, int] = {}
    for name, value in right.items():
        step = holding(value, steps, trial.given)
        if step is not None:
            at[name] = places[id(step)]
    reached: dict[int, list[str]] = {}
    for name, place in at.items():
        reached.setdefault(place, []).append(name)
    order = list(right)
    after = max((order.index(name) for name in at), default=-1)
    missing = order[after + 1] if steps and after + 1 < len(order) else None
    since = max(at.values(), default=-1)
    culprit = None
    if missing is not None:
        size = right[missing].numel()
        kind = "values" if right[missing].is_floating_point() else "marks"
        sized = (
            place
            for place in range(since + 1, len(steps))
            if any(held.numel() == size for held in steps[place][kind])
        )
        culprit = next(sized, None)
    return Flow(
        trial=trial, right=right, reached=reached, missing=missing, culprit=culprit, since=since
    )


def axis_names(shape: Sequence[int], row: dict[str, int], sizes: Sizes) -> list[str]:
    """Name each axis of a shape by its size; one that is no size's keeps its number."""
    known: dict[int, str] = {1: "1"}
    for symbol, size in row.items():
        known.setdefault(size, sizes.axes[symbol])
    return [known.get(size, str(size)) for size in shape]
