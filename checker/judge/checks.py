"""Everything that is tried of one function or class, in the order in which it is tried."""

from __future__ import annotations

from dataclasses import replace

from .case import Case
from .conditioning import judged
from .draw import small
from .examine import Examination
from .precision import try_dtypes
from .training import try_training

__all__ = ["try_all"]

# How many sequences are cut, and how long they are at least.
_SEQUENCES, _SHORT = 3, 2
# Calls between two that are to be alike: who counts calls is found out.
_MANY = 32


def try_all(one: Examination) -> None:
    """Try all that is asked, and find what is wrong."""
    one.try_grid()
    if not one.found.findings.get("values"):
        _try_causality(one)
        try_dtypes(one)
    _try_purity(one)
    try_training(one)


def _try_causality(one: Examination) -> None:
    """Prefixes of sequences that were tried: what comes later changes none of their outputs."""
    along = one.function.causal_along
    plain = (t for t in one.tried if along and t.case.check in {"values", "lengths"})
    whole = [t for t in plain if t.case.sizes[along] > _SHORT and not t.case.large][:_SEQUENCES]
    trials = [
        one.trial_of(
            _prefix(trial.case, along, length),
            trial.given.cut(along, 0, length, trial.case.axes(one.function)),
            trial.dtype,
        )
        for trial in whole
        for length in (1, trial.case.sizes[along] - 1)
    ]
    one.judge(trials)


def _prefix(case: Case, along: str, length: int) -> Case:
    return replace(case, check="causality", lies="", sizes={**case.sizes, along: length})


def _try_purity(one: Examination) -> None:
    """The same call again at once, after others of one shape, and after one of another.

    Of the others of one shape the last has the tensors of the one before, changed in place; and at
    the end an object has other weights, as after an optimizer's step, or is brought to float32.
    """
    first, other = (one.trial(case) for case in one.two())
    twins = [one.trial(_one_of_a_shape(one)) for _ in range(3)]
    twins[-1].call = replace(twins[-1].call, over=True)
    slow = one.function.state is not None or one.function.models or one.kata.kernels
    many = 1 if slow else _MANY
    answers = one.run([first, first, *twins, *[other] * many, first])
    one.found.counts["purity"] = len(answers) - many + 1
    for answer in answers:
        one.found.modified.update(answer.modified)
    outs = [first.results(answers[k]) for k in (0, 1, -1)]
    if not all(outs):
        one.found.state = "fail-state" if outs[0] else None
    elif not one.same(outs[0], outs[1]):
        # What differs on one object and not on two is kept on it.
        alone = [first.results(one.run([first])[0]) for _ in range(2)]
        kept = one.function.module is not None and one.same(*alone)
        one.found.state = "fail-state" if kept else "fail-random"
    elif not one.same(outs[0], outs[-1]):
        one.found.state = "fail-state"
    theirs = zip(twins, answers[2 : 2 + len(twins)], strict=True)
    wrong = [judged(one, trial, answer) for trial, answer in theirs]
    if one.found.state is None and any(wrong):
        # What is wrong after other calls, and right alone, was kept from them.
        right = not any(one.found.findings.values())
        alone = [(trial, one.run([trial])[0]) for trial in twins]
        raised = [(trial, answer) for trial, answer in alone if answer.fault is not None]
        if right and raised:
            # A call that raises by itself is wrong by itself, though none of the others was.
            one.keep(*raised[0], "values")
        elif right or not any(judged(one, *each) for each in alone):
            one.found.state = "fail-kept"
    if one.found.state is None and not any(one.found.findings.values()):
        one.found.state = one.spoilt()


def _one_of_a_shape(one: Examination) -> Case:
    """A case of which two differ in what they hold alone: in a mask too, where there is one."""
    masked = one.function.mask is not None
    return next(small(one.function, one.sizes, mask=masked, turn=1))
