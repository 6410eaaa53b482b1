"""Norms and activations that a submission has besides: silenced, to see what remains."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...kata.slips import slips
from ..diagnose.diagnose import Named
from ..diagnose.places import EXTRAS, Places
from ..process.answers import Step
from .trials import Trial
from .weighing import Weighing

__all__ = ["beside_extras"]


def beside_extras(
    one: Weighing, places: Places, named: Callable[[Sequence[Trial]], list[Named]]
) -> list[Named]:
    """Return the norms and activations without which the rest is attention, and its mistakes.

    named: names the mistakes of calls.
    """
    known = {slip.id: slip for slip in slips(one.kata.folder)}
    # What the model answer calls as well is not there besides.
    source = one.kata.solution()
    extras = {call: mistake for call, mistake in EXTRAS.items() if f".{call}(" not in source}
    seen: dict[str, Step] = {}
    for step in (step for trial in one.seen[:1] for step in trial.answer.steps):
        mistake = extras.get(step.call.strip("_"), "")
        if mistake in known and step.lines:
            seen.setdefault(mistake, step)
    for wanted in dict.fromkeys([*((mistake,) for mistake in seen), tuple(seen)]):
        silent = tuple(call for call, mistake in extras.items() if mistake in wanted)
        rest = _named_without(one.silenced(silent), named) if silent else None
        if rest is not None:
            lined = ((known[mistake], places.lined_up(seen[mistake])) for mistake in wanted)
            found = [Named(slip=s, edit=(), line=n, reference=None, matches=None) for s, n in lined]
            return sorted([*found, *rest], key=lambda each: each.line or 0)
    return []


def _named_without(
    one: Weighing, named: Callable[[Sequence[Trial]], list[Named]]
) -> list[Named] | None:
    """The mistakes of what remains; None where it is wrong and no mistake explains it."""
    calls = [one.trial(trial.case) for trial in one.seen if not trial.group]
    found = named(one.recorded(calls))
    return found if found or one.held.aligned else None
