"""Several mistakes in one function, peeled off one after another from where its steps depart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from torch import Tensor

from ...kata.catalogue import Kata
from ...kata.slips import Edit, Slip
from ..judge.trials import Trial
from .holding import holding
from .pointing import named_steps, same_numbers
from .tried import Tried

__all__ = ["chained"]

_Option = tuple[Slip, Edit]
# How many mistakes a chain has at most, and how many ways are followed at each.
_DEEPEST, _WIDEST = 5, 3


def chained(
    tried: Tried, likely: Sequence[_Option], evidence: Sequence[Trial], below: tuple[Edit, ...]
) -> Iterator[list[_Option]]:
    """Yield chains of two mistakes or more that explain the evidence.

    Each next one is an edit after which the first step that the trace did not hold is one that it
    holds. below: the mistakes of functions that this one calls.
    """
    trial = next((one for one in evidence if one.answer.steps), None)
    if trial is None:
        return
    links = _Links(tried.kata, tried.name, likely, trial, below)
    chains: list[list[_Option]] = [[]]
    for depth in range(1, _DEEPEST + 1):
        longer = [[*chain, option] for chain in chains for option in links.after(chain)]
        for chain in longer if depth > 1 else ():
            if tried.explains((*below, *(edit for _, edit in chain)), evidence):
                yield chain
        chains = longer[: _WIDEST * 2]


class _Links:
    """The mistakes that a chain may go on with, by what they change of one call's steps."""

    def __init__(
        self, kata: Kata, name: str, likely: Sequence[_Option], trial: Trial,
        below: tuple[Edit, ...],
    ) -> None:  # fmt: skip
        self.kata, self.name, self.trial, self.below = kata, name, trial, below
        right = self._named(())
        self.changes = [(one, _changed(right, self._named((one[1],)))) for one in likely]

    def after(self, chain: Sequence[_Option]) -> list[_Option]:
        """The mistakes by which a chain comes further than its departure."""
        edits = tuple(edit for _, edit in chain)
        right = self._named(edits)
        departure = next((n for n, value in right.items() if not _held(value, self.trial)), None)
        if departure is None:
            return []
        found: list[tuple[int, _Option]] = []
        for option in (one for one, changed in self.changes if departure in changed):
            if option[0].id in {other.id for other, _ in chain}:
                continue
            wrong = self._named((*edits, option[1]))
            if _differs(right, wrong, departure) and _held(wrong[departure], self.trial):
                later = list(wrong)[list(wrong).index(departure) :]
                held = sum(_held(wrong[n], self.trial) for n in later[:_DEEPEST])
                found.append((held, option))
        found.sort(key=lambda pair: -pair[0])
        return [option for _, option in found[:_WIDEST]]

    def _named(self, edits: tuple[Edit, ...]) -> dict[str, Tensor]:
        """The floats that the model answer names with some edits, in the order in which it does."""
        all_edits = (*self.below, *edits)
        steps = named_steps(self.kata, self.name, all_edits, self.trial, whole=False, ordered=True)
        return {n: v for n, v in steps.items() if v.is_floating_point() and v.numel() > 1}


def _changed(right: dict[str, Tensor], wrong: dict[str, Tensor]) -> set[str]:
    """The steps that an edit makes otherwise."""
    return {n for n in right if _differs(right, wrong, n)}


def _differs(right: dict[str, Tensor], wrong: dict[str, Tensor], name: str) -> bool:
    return name in wrong and not same_numbers(right[name], wrong[name])


def _held(value: Tensor, trial: Trial) -> bool:
    return holding(value, trial.answer.steps, trial.given) is not None
