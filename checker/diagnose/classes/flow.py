"""The shape flow: which steps of attention a submission's calls reach, and where it departs.

The reference's named steps are the milestones. A call reaches one where it holds the same
values at the same positions, in any layout; entries of one position may be in any order,
since heads may be numbered and interleaved as one likes.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import torch

from ...candidate.recorder import LIMIT
from ...judge.classes.behaviour import Trace
from ...judge.classes.examine import Examination
from ...judge.classes.truth import Truth
from ...report.report import Departure, Heat, Step
from ..axes import axis_names
from ..heat import heat
from ..layout_match import Landmark, Reached, Sight, landmarks, matches, reach
from ..milestones import milestones, shown
from ..relation import relation

__all__ = ["Flow", "follow"]

_SOURCES = ("quer", "key", "value")


@dataclass(slots=True, kw_only=True)
class Flow:
    """A trace with what its steps reach.

    reached: the milestones by name. missing: the first that was not reached, with the step
    that should have made it. sight: what was watched.
    """

    sight: Sight
    landmarks: list[Landmark] = field(default_factory=list)
    reached: dict[str, Reached] = field(default_factory=dict)
    missing: Landmark | None = None
    culprit: int | None = None
    since: int = -1

    def steps(self) -> list[Step]:
        """The steps as a report carries them."""
        ticks: dict[int, list[str]] = {}
        for name, found in self.reached.items():
            if found.step is not None:
                ticks.setdefault(found.step, []).append(name)
        seen = self.sight.trace
        missed = (self.culprit, self.missing.name) if self.missing else (None, "")
        return shown(
            seen.steps, ticks, missed, lambda shape: axis_names(shape, seen.size, seen.case)
        )

    def heat(self, language: str) -> Heat | None:
        """The attention weights of the traced case, None where none are expected."""
        mark = next((mark for mark in self.landmarks if mark.name == "weights"), None)
        if mark is None:
            return None
        seen, found = self.sight.trace, self.reached.get("weights")
        reached = None if found is None else found.step
        return heat(mark.value, seen.steps, reached, seen.case.label(language))

    def departure(self, language: str) -> Departure | None:
        """Say where the submission first departs, None where it does not."""
        if self.missing is None:
            return None
        steps = self.sight.trace.steps
        line = None if self.culprit is None else steps[self.culprit]["line"]
        since = steps[self.since]["line"] if self.since >= 0 else None
        held = self.sight.values_of(self.culprit) if self.culprit is not None else []
        others = {mark.name: mark.value for mark in self.landmarks if mark is not self.missing}
        message = relation(self.missing.value, held, others, language) if held else ""
        return Departure(milestone=self.missing.name, line=line, since=since, message=message)


def follow(seen: Trace, examination: Examination) -> Flow:
    """Hold a trace against the reference's named steps."""
    best = Flow(sight=Sight(seen))
    for roles in examination.fitted.readings(seen.size):
        truth = Truth(examination.kata, seen.size)
        truth.load(roles, roles.flatten(seen.weights))
        try:
            made = milestones(truth, seen.inputs, seen.mask)
        except RuntimeError:
            continue
        close = 1e-5 if examination.fitted.work is torch.float64 else 1e-3
        found = Flow(sight=best.sight, landmarks=landmarks(made, seen.case, close))
        found.reached = reach(found.landmarks, found.sight)
        if not best.landmarks or len(found.reached) > len(best.reached):
            best = found
    if best.landmarks and len(seen.steps) < LIMIT:
        _depart(best)
    return best


def _depart(flow: Flow) -> None:
    """Find the first milestone that nothing reaches, and the step that was to make it."""
    order = [mark.name for mark in flow.landmarks]
    last = flow.landmarks[-1]
    if "output" in flow.reached:
        out = flow.sight.trace.out
        if out is not None and not matches(out, last):
            # The right output, and then something more.
            flow.missing, flow.since = last, flow.reached["output"].step or 0
            flow.culprit = flow.sight.culprit(last, flow.landmarks, flow.since)
        return
    flow.missing = next(
        (m for m in flow.landmarks if m.name not in flow.reached and not _skipped(m, flow)), None
    )
    if flow.missing is None:
        return
    before = order[: order.index(flow.missing.name)]
    own = _family(flow.missing.name)
    counted = [n for n in before if own is None or _family(n) == own]
    places = [flow.reached[n].step for n in counted if n in flow.reached]
    flow.since = max((place for place in places if place is not None), default=-1)
    flow.culprit = flow.sight.culprit(flow.missing, flow.landmarks, flow.since)
    if own is not None and flow.culprit is not None and flow.culprit >= flow.sight.mixing:
        # An input taken as it comes is made by no call.
        flow.culprit = None


def _skipped(mark: Landmark, flow: Flow) -> bool:
    """Whether something that is made from this milestone is reached all the same."""
    if mark.optional:
        return True
    names = [other.name for other in flow.landmarks]
    later = [n for n in names[names.index(mark.name) + 1 :] if n in flow.reached]
    own = _family(mark.name)
    if own is None:
        return bool(later)
    mixed = [name for name in later if _family(name) is None]
    if own == "value":
        mixed = [n for n in mixed if n in {"context", "by_position", "merged", "output"}]
    return bool(mixed) or any(_family(name) == own for name in later)


def _family(name: str) -> str | None:
    """Which input of attention a milestone belongs to; None once they have been mixed."""
    return next((source for source in _SOURCES if name.startswith(source)), None)
