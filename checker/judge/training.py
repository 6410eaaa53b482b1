"""Train mode: with nothing dropped all holds that holds in eval mode; and what is dropped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch

from ..diagnose.milestones import find
from ..process.answers import Outcome
from ..process.requests import Record
from .by_hand import read_by_hand, restoring_line, with_weights_scaled
from .compare import agree
from .dropout import read_dropout
from .dropout_finding import DropoutFinding, Idle, Undone
from .examine import Examination
from .precision import judge_low
from .trials import Finding, Trial
from .truth import made
from .weighing import Weighing

__all__ = ["read_training", "try_training"]

# So many alike are no chance: 32 weights at a rate of 0.1 come through all with 2e-12.
_CALLS = 8
# And where all weights of a call have to fall alike.
_AGAIN = 4


def try_training(one: Examination) -> None:
    """Try a class in train mode, where all is right in eval mode. A function has no modes."""
    wrong = {check for check, findings in one.found.findings.items() if findings}
    if not isinstance(one, Weighing) or not one.held.aligned or "values" in wrong:
        return
    first = next(trial for trial in one.tried if not trial.missing)
    one.dropout = read_training(one, first)
    by_hand = _random(one, first, loud=True)
    if by_hand:
        one.dropout = read_by_hand(one, first)
    elif one.dropout.place == "unknown":
        # What is no step of the model answer's may be a numerator of the weights.
        read = read_by_hand(one, first, silent=False)
        if read.place == "weights":
            one.dropout = replace(
                one.dropout, place="weights", reading=read.reading, undone=read.undone,
                next=read.next,
            )  # fmt: skip
    elif one.dropout.place == "none" and _kept(one, first):
        # What a seed in forward draws by hand is the same at every call.
        read = read_by_hand(one, first)
        if read.reading is not None and read.reading.dropped:
            one.dropout = read
    elif any(call.mapped for call in one.dropout.calls):
        # A vmap may drop the same everywhere.
        one.dropout.reading = read_by_hand(one, first, silent=False).reading
    if one.dropout.place in {"weights", "beside"}:
        one.dropout.idle = _idle_beside(one, first)
        one.dropout.kept = _kept(one, first)
    _try_loud(one)
    if not wrong and not _random(one, first):
        one.judge([one.in_training(trial) for trial in _some(one.tried)])
        # A draw in half precision may be 0, which is dropped by hand at a rate of 0 too.
        for trials in () if by_hand else one.low:
            judge_low(one, [one.in_training(trial) for trial in trials[-1:]])


def _kept(one: Weighing, first: Trial) -> bool:
    """Whether an object drops the same at every call, and something."""
    loud = replace(first, case=replace(first.case, train=True, loud=True))
    one.write(loud)
    answers = one.answered([one.series(loud, [loud.call] * _AGAIN)])
    before, *results = [loud.results(answer) for answer in answers]
    still = first.results(first.answer)
    return bool(before) and not one.same(still, before) and all(
        one.same(before, each) for each in results
    )  # fmt: skip


def _idle_beside(one: Weighing, first: Trial) -> Idle | None:
    """Whether nothing is dropped with a mask, where the first call has none, or without one."""
    assert one.dropout is not None
    others = (t for t in one.tried if (t.case.mask is None) != (first.case.mask is None))
    # Of NaN, which a mask of another dtype may leave, nothing can be seen to be dropped.
    numbers = (t for t in others if all(bool(r.isfinite().all()) for r in t.results(t.answer)))
    other = next((t for t in numbers if not t.missing and t.case.mask != "full"), None)
    if other is None:
        return None
    loud = replace(other, case=replace(other.case, train=True, loud=True))
    one.write(loud)
    results = [loud.results(answer) for answer in one.run([loud] * _CALLS)]
    # What drops everything gives the same each time, and other numbers than without dropout.
    still = other.results(other.answer)
    if not all(results) or not all(one.same(still, each) for each in results):
        return None
    line = _weights_line(one, other, one.dropout.line or 0)
    return Idle(masked=other.case.mask is not None, line=line)


def _weights_line(one: Weighing, trial: Trial, near: int) -> int | None:
    """Where a call makes its weights: of a helper and its callers the line nearest to one."""
    with torch.no_grad():
        weights = made(one.right, trial.given).steps.get("weights")
    steps = [step for seen in one.recorded([replace(trial)]) for step in seen.answer.steps]
    step = None if weights is None else find(weights, steps)
    return min(step.lines, key=lambda line: abs(line - near)) if step and step.lines else None


def _try_loud(one: Weighing) -> None:
    """Call it as training does, forward and back with dropout in it, and keep what that raises."""
    kinds: dict[bool, Trial] = {}
    for trial in one.tried:
        if trial.call.grad is not None and not trial.missing and trial.answer.fault is None:
            kinds.setdefault(trial.case.mask is None, trial)
    for trial in kinds.values():
        loud = replace(trial, case=replace(trial.case, train=True, loud=True))
        one.write(loud, grad=trial.call.grad)
        fault = one.run([loud])[0].fault
        if fault is not None:
            check = "gradients" if fault.phase == "backward" else "dropout"
            raised = Finding(kind="raised", trial=loud, fault=fault)
            one.found.findings.setdefault(check, []).append(raised)
            return


def read_training(one: Weighing, first: Trial) -> DropoutFinding:
    """Make a plain call in train mode, at the rate asked for, and see what dropouts are given."""
    assert one.construction is not None
    trial = replace(first, case=replace(first.case, train=True))
    one.write(trial)
    record = Record(given=True, skip=one.skip)
    silenced = [replace(record, silent=silent) for silent in (True, one.quiet)]
    calls = [replace(trial.call, record=record) for record in silenced]
    # On an object each: one may keep what it drew first.
    answer, loud = one.answered([one.series(first, [call]) for call in calls])
    with torch.no_grad():
        steps = made(one.right, first.given).steps
    seen, asked = answer.dropouts, one.construction.asked_rate
    if one.same(trial.results(answer), trial.results(loud)):
        # What is called and changes nothing has its result thrown away.
        return DropoutFinding(place="none", calls=seen, asked=asked)
    found = read_dropout(seen, steps, one.module.dropout, asked)
    if found.alone:
        found.undone, found.next = _halved(one, first, trial, answer, found.alone)
    elif found.place == "unknown":
        # What drops, and comes out whole where a half of it is left, has its sum brought back to 1.
        active = [n for n, call in enumerate(seen) if call.training and call.p > 0]
        undone, line = _halved(one, first, trial, answer, active)
        if undone == "whole":
            return replace(found, place="weights", undone=undone, next=line)
    return found


def _halved(
    one: Weighing, first: Trial, trial: Trial, whole: Outcome, alone: Sequence[int]
) -> tuple[Undone, int | None]:
    """What comes out where dropouts leave half of what they are given, if no half; and the line.

    whole: the answer where they leave all. alone: the numbers of those calls.
    """
    evenly = Record(steps=False, silent=True, halved=alone, skip=one.skip)
    calls = [replace(trial.call, record=replace(evenly, uneven=odd)) for odd in (False, True)]
    answers = one.answered([one.series(first, calls)])
    right = with_weights_scaled(one, first.given, 0.5)
    halved, uneven, before = (trial.results(answer)[:1] for answer in (*answers, whole))
    if right is None or not halved or not before or halved[0].shape != right.shape:
        return "", None
    keep = first.keep.expand(right.shape) if first.keep is not None else None
    if agree(halved[0], right, first.bound, keep):
        return "", None
    if not agree(halved[0], before[0], first.bound, keep):
        return "otherwise", restoring_line(whole)
    if uneven and agree(uneven[0], before[0], first.bound, keep):
        # Of what they give, only which entries are 0 is used: nothing is brought back.
        return "", None
    return "whole", restoring_line(whole)


def _random(one: Weighing, first: Trial, *, loud: bool = False) -> bool:
    """Whether two calls differ with torch's dropouts silenced: what drops is made by hand.

    loud: whether the object is made at the rate asked for, and not at 0.
    """
    trial = one.in_training(first)
    if loud:
        # Made as for eval, where the rate is the one asked for.
        answers = one.answered([one.series(first, [trial.call] * 2)])
    else:
        answers = one.run([trial, trial])
    left, right = map(trial.results, answers)
    return not one.same(left, right)


def _some(tried: list[Trial]) -> list[Trial]:
    """Of what was tried one of each check, with and without a mask, and whole sequences."""
    kinds: dict[Any, list[Trial]] = {}
    for trial in tried:
        case = trial.case
        kinds.setdefault((case.check, case.mask is None, case.schedule), []).append(trial)
    some: list[Trial] = []
    for (_, _, schedule), many in kinds.items():
        of_one = [trial for trial in many if trial.group == many[0].group]
        some += of_one if schedule else many[:1]
    return some
