"""What edited model answers give, beside what a submission gave: asked once of each call."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from itertools import zip_longest

import torch
from torch import Tensor

from ...kata.catalogue import Kata
from ...kata.slips import Edit
from ..judge import budget
from ..judge.compare import agree
from ..judge.trials import Trial
from ..judge.truth import FAULTS, answers, made
from .holding import holding, same_numbers
from .pointing import named_steps

__all__ = ["Traced", "Tried", "sayings"]

# How many of the steps that a mistake changes are looked for in a trace.
_LOOKED_FOR = 3
# What is nothing beside the right answer, where no entry of that hides a score.
_NOTHING, _FINITE = 1e-12, 1e6
_NUMBER = re.compile(r"\d+")
# An axis is counted from the left, and heads may be folded into the batch.
_AXIS = re.compile(r" at non-singleton dimension \d+")
# An equation's letters are anyone's choice.
_LETTER = re.compile(r"\bsubscript \w+")


class Traced:
    """What an edited model answer names in a call, and which of it the call's trace holds.

    changed: of the floats that it names what the last of the edits makes otherwise.
    """

    def __init__(self, steps: dict[str, Tensor], trial: Trial, before: Traced | None) -> None:
        self.steps = {n: v for n, v in steps.items() if v.is_floating_point() and v.numel() > 1}
        self.trial, self.before = trial, before
        known = {} if before is None else before.steps
        self.changed = {
            n for n, v in self.steps.items() if n in known and not same_numbers(known[n], v)
        }
        self._held: dict[str, bool] = {}

    def holds(self, name: str) -> bool:
        """Whether the trace holds a step; what the last edit leaves as it is, as without it."""
        if name not in self.steps:
            return False
        if self.before is not None and name in self.before.steps and name not in self.changed:
            return self.before.holds(name)
        if name not in self._held:
            answer, given = self.trial.answer, self.trial.given
            self._held[name] = holding(self.steps[name], answer.steps, given) is not None
        return self._held[name]

    def loses(self, before: Traced) -> bool:
        """Whether the trace holds, of what the last edit makes otherwise, the former alone."""
        return any(before.holds(name) and not self.holds(name) for name in self.changed)


# What torch says of shapes that do not fit.
_SHAPES = re.compile(r"shape|size of tensor|expected size|must match")


class Tried:
    """What is known of one function's edits, for as long as its calls have the same answers.

    A search for all that is wrong asks of some calls what one for a part of it has asked before.
    """

    def __init__(self, kata: Kata, name: str) -> None:
        self.kata, self.name = kata, name
        # Calls stay here, so that no other has the id of one.
        self._calls: dict[int, Trial] = {}
        self._given: dict[tuple[int, tuple[Edit, ...]], bool] = {}
        # Calls that both refuse for their shapes, in other words.
        self._refused: set[tuple[int, tuple[Edit, ...]]] = set()
        self._idle: dict[tuple[int, tuple[Edit, ...], Edit], bool] = {}
        self._named: dict[tuple[int, tuple[Edit, ...]], dict[str, Tensor]] = {}
        self._marks: dict[tuple[int, Edit], int] = {}
        self._traced: dict[tuple[int, tuple[Edit, ...]], Traced] = {}

    def explains(self, edits: tuple[Edit, ...], evidence: Sequence[Trial]) -> bool:
        """Whether the model answer with some edits gives what the submission gave in all calls.

        Shapes that do not fit may be refused by one step or by a later one: where one call is
        refused in the same words, others may be in other words.
        """
        if not evidence:
            return answers(self.kata, edits) is not None
        alike = loosely = False
        for trial in evidence:
            if self._gives(edits, trial):
                alike = alike or trial.answer.fault is not None
            elif (self._known(trial), edits) in self._refused:
                loosely = True
            else:
                return False
        return alike or not loosely

    def changes(self, edits: tuple[Edit, ...], trial: Trial) -> bool:
        """Whether the model answer with some edits gives numbers that are not the right ones."""
        functions = answers(self.kata, edits)
        if functions is None:
            return False
        with suppress(*FAULTS), torch.no_grad():
            given = made(functions[self.name], trial.posed, named=False)
            return any(
                bool(theirs.isfinite().all())
                and not agree(theirs, right, trial.bound, trial.kept(theirs))
                for theirs, right in zip(given.results, trial.expected, strict=False)
                if theirs.shape == right.shape
            )
        return False

    def explains_both(
        self, base: tuple[Edit, ...], pair: tuple[Edit, Edit], evidence: Sequence[Trial]
    ) -> bool:
        """Whether two edits explain all calls together, beside those of the base.

        What changes no step of a call by itself, as axes of one entry that are swapped, changes
        none beside another either.
        """
        return all(
            self._gives((*base, *(e for e in pair if not self._is_idle(base, e, trial))), trial)
            for trial in evidence
        )

    def mark(self, edit: Edit, trial: Trial | None) -> int:
        """How many of the first steps that an edit changes a trace holds, as the edit makes them.

        0 where there is no trace.
        """
        if trial is None:
            return 0
        asked = self._known(trial), edit
        if asked not in self._marks:
            budget.spend()
            steps = trial.answer.steps
            right, wrong = self._beside((), edit, trial)
            differs = [
                v for n, v in wrong.items() if n not in right or not same_numbers(right[n], v)
            ]
            held = [holding(v, steps, trial.given) is not None for v in differs[:_LOOKED_FOR]]
            self._marks[asked] = sum(held)
        return self._marks[asked]

    def traced(self, edits: tuple[Edit, ...], trial: Trial) -> Traced:
        """What the model answer names with some edits, in the order in which it does."""
        asked = self._known(trial), edits
        if asked not in self._traced:
            budget.spend()
            before = self.traced(edits[:-1], trial) if edits else None
            steps = named_steps(self.kata, self.name, edits, trial, whole=False, ordered=True)
            self._traced[asked] = Traced(steps, trial, before)
        return self._traced[asked]

    def _gives(self, edits: tuple[Edit, ...], trial: Trial) -> bool:
        asked = self._known(trial), edits
        if asked not in self._given:
            budget.spend()
            self._given[asked] = self._agrees(edits, trial)
        return self._given[asked]

    def _known(self, trial: Trial) -> int:
        self._calls[id(trial)] = trial
        return id(trial)

    def _is_idle(self, base: tuple[Edit, ...], edit: Edit, trial: Trial) -> bool:
        """Whether an edit leaves all steps of a call as they are."""
        asked = self._known(trial), base, edit
        if asked not in self._idle:
            theirs, mine = self._beside(base, edit, trial)
            alike = [n in theirs and same_numbers(value, theirs[n]) for n, value in mine.items()]
            self._idle[asked] = bool(mine) and len(mine) == len(theirs) and all(alike)
        return self._idle[asked]

    def _beside(
        self, base: tuple[Edit, ...], edit: Edit, trial: Trial
    ) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
        """The steps of a call without an edit, which are the same for all, and with it."""
        asked = self._known(trial), base
        if asked not in self._named:
            self._named[asked] = named_steps(self.kata, self.name, base, trial)
        return self._named[asked], named_steps(self.kata, self.name, (*base, edit), trial)

    def _agrees(self, edits: tuple[Edit, ...], trial: Trial) -> bool:
        """Whether an edited model answer gives what the submission gave, or raises as it did."""
        functions, fault = answers(self.kata, edits), trial.answer.fault
        if functions is None:
            return False
        try:
            with torch.no_grad():
                given = made(functions[self.name], trial.posed, named=False)
        except FAULTS as raised:
            said = "" if fault is None else fault.message
            alike = sayings(str(raised)) == sayings(said)
            if not alike and _SHAPES.search(str(raised)) and _SHAPES.search(said):
                self._refused.add((self._known(trial), edits))
            return alike
        actual = [] if fault is not None else trial.results(trial.answer)
        if trial.few(trial.answer.many) != trial.few(given.many):
            return False
        if len(actual) != len(given.results):
            return False
        # What is not asked for has no right answer.
        rights = zip_longest(trial.expected[: len(actual)], actual)
        return all(
            mine.shape == theirs.shape
            and (
                agree(mine, theirs, trial.bound, trial.kept(theirs))
                or (right is not None and _vanish(mine, theirs, right))
            )
            for (right, mine), theirs in zip(rights, given.results, strict=True)
        )


def _vanish(one: Tensor, other: Tensor, right: Tensor) -> bool:
    """Whether two results are nothing beside the right one: what cancels leaves its rounding."""
    floats = [t.double() for t in (one, other, right) if t.is_floating_point() and t.numel()]
    if len(floats) < 3 or not bool((floats[2].abs() < _FINITE).all()):
        return False
    mine, theirs, wanted = (float(t.abs().max()) for t in floats)
    return max(mine, theirs) < _NOTHING * wanted


def sayings(words: str) -> tuple[str, list[str]]:
    """What an exception says, and the sizes that it names, in whichever order they met."""
    words = _LETTER.sub("", _AXIS.sub("", words))
    return _NUMBER.sub("", words), sorted(_NUMBER.findall(words))
