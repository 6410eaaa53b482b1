"""Lower precision: float32, bfloat16, float16 and autocast beside the model answer in float64.

Under autocast a float32 module makes its products in bfloat16: their factors are rounded to
it, and so is what comes out. The weights and inputs that are drawn for it are bfloat16
numbers already, so that the first rounding changes nothing. Every other rounding is one that
a module in bfloat16 makes as well, and what autocast leaves in float32 (on CUDA the softmax,
on the CPU most of what is no product) rounds less. Its bound is therefore bfloat16's. An
exception says nothing there: autocast makes a mixture of dtypes by itself, and an operator
that it does not know refuses it (`tensordot` does). Code that fixes a dtype fails without it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

import torch

from ...kata.functions import Function, choices
from ...kata.slips import slips
from ..process.answers import Outcome, Raised
from ..process.wire import dtype_name
from .case import Case
from .compare import low_precision_bound
from .conditioning import kept_by_rounding
from .draw import by_calls, shifts, small
from .examine import Examination
from .trials import Trial, by_dtype

__all__ = ["away_from_zero", "judge_low", "try_dtypes"]

# What autocast makes products in; its trials are those of this dtype.
_AUTOCAST = torch.bfloat16
_LARGE_IN_HALF = 6.0
# At how many sizes it may lose to rounding before a dtype is not judged.
_ROWS = 4
# How often a long sequence is drawn: in one of some twenty, rounded positions change little.
_DRAWS = 2
# Whoever adds up key by key in bfloat16 is off by twice the usual bound at a length of 380, and
# positions that are rounded there are off by eight times as much. Where a difference or a sink
# leaves little of large scores, all right code is off so, and rounded positions by far more.
_LONG = 4
# What positions that are rounded make wrong, where they are compared.
_COMPARED = "distance-rounded"
# bfloat16 has all whole numbers up to this one.
_WHOLE = 256
# Scores so small that a query sees all of its keys alike: none of them hides another.
_EVEN = 1 / 8
# Scores so large that one key more, of all those behind a query, is not lost among the biases.
_SHARP = 2
# What stands around a far mean may lie as close as the inverse of this.
_SPREAD = 8


def try_dtypes(one: Examination) -> None:
    """Try every dtype that the kata asks for, and autocast, which makes products in one of them."""
    for name in one.function.dtypes:
        dtype = getattr(torch, name)
        trials = _trials(one, dtype)
        if trials:
            one.low.append(trials)
    mixed = dtype_name(_AUTOCAST)
    # A product of far positions and frequencies is autocast's own as well.
    one.low += [
        [
            replace(t, autocast=True, call=replace(t.call, autocast=mixed))
            for t in trials if not t.case.far
        ]
        for trials in one.low
        if trials[0].dtype is _AUTOCAST
    ]  # fmt: skip
    for trials in (*one.low, *_away(one)):
        judge_low(one, trials)
    for trials in _long(one):
        judge_low(one, trials, long=True)


def judge_low(one: Examination, trials: Sequence[Trial], *, long: bool = False) -> None:
    """Have calls made in one lower precision; some exceptions are excused there.

    long: they are there for positions beyond bfloat16's whole numbers.
    """
    made_in = torch.float32 if trials[0].autocast else trials[0].dtype
    for trial, answer in zip(trials, one.run(trials, made_in), strict=True):
        if one.tables and trial.case.far and _rounds(one, trial, answer):
            one.found.rounded = True
            continue
        stalled = _stalls(one, trial, answer) if long else None
        if stalled is not None:
            one.found.stalled = stalled
            continue
        fault = answer.fault
        excused = _excuse(fault, trial.dtype, autocast=trial.autocast)
        if excused == "overflow" and fault is not None:
            one.found.half_faults.append(fault)
        if not excused:
            one.found.dtypes["autocast" if trial.autocast else dtype_name(trial.dtype)] = None
            one.keep(trial, answer, "dtypes")


def _trials(one: Examination, dtype: torch.dtype) -> list[Trial]:
    """Write the trials of a dtype, at the first sizes at which any tells something.

    An object's weights are the same in all trials of its sizes, and so is what they leave.
    """
    some = _cases(one, dtype)
    for row in islice(one.sizes.rows(), _ROWS):
        trials = [one.trial(replace(case, sizes=row), dtype) for case in some]
        telling = [trial for trial in trials if _tells(one, trial)]
        if telling:
            return telling
    return []


def _tells(one: Examination, trial: Trial) -> bool:
    """Whether the model answer itself is right there in low precision.

    Where it loses to rounding, as a norm does of a difference of which nothing is left, no
    submission can be held to it.
    """
    return bool(one.function.models) or kept_by_rounding(one.right, trial)


def _cases(one: Examination, dtype: torch.dtype) -> list[Case]:
    function, sizes = one.function, one.sizes
    some = [*small(function, sizes, mask=False, turn=1)][:2]
    some += [*small(function, sizes, mask=True, turn=2)][:2]
    some = [case for case in some if case.mask is not None or not function.needs_mask]
    shown = "stability" in one.found.findings
    if dtype is torch.float16 and function.module is None and function.large > 1 and not shown:
        # Powers of these are beyond float16 where nothing is taken off first.
        some += [replace(case, gain=_LARGE_IN_HALF) for case in some[:1] if not shifts(function)]
    if function.far and function.state is None and dtype.itemsize < torch.float32.itemsize:
        some += [replace(case, far=True) for case in some]
    return some


def _long(one: Examination) -> Iterator[list[Trial]]:
    """Yield a sequence that ends behind bfloat16's whole numbers, if one is asked for."""
    for sizes in _beyond(one):
        case = Case(
            check="values", sizes=sizes, chosen=choices(one.function)[-1], far=True,
            gain=1 if _rotates(one) else _gain(one.function),
        )  # fmt: skip
        for _ in range(_DRAWS):
            trial = one.trial(case, torch.bfloat16)
            trial.keep = _behind(one.function, sizes) if trial.keep is None else trial.keep
            if one.function.state is None and _tells(one, trial):
                yield [trial]
                continue
            trial.bound *= _LONG
            if _tells(one, trial):
                yield [trial]


def _gain(function: Function) -> float:
    """What inputs are multiplied by, so that one key too many or too few is seen in the result."""
    if function.module is None:
        return _EVEN
    return _SHARP if any(each.late for each in function.arguments) else 1


def _behind(function: Function, sizes: Mapping[str, int]) -> torch.Tensor | None:
    """The rows that see anything, of inputs that are 0 at first: among the others they are few."""
    late = next((each for each in function.arguments if each.late), None)
    if late is None or late.shapes[0][-2:-1] != function.results[0].shape[-2:-1]:
        return None
    length = sizes[late.shapes[0][-2]]
    return torch.arange(length)[:, None] >= length + late.late


def _beyond(one: Examination) -> Iterator[dict[str, int]]:
    function, state = one.function, one.function.state
    if function.counted:
        yield one.sizes.but(function.counted)
    elif state is not None and state.far:
        yield from ({**row, state.along: state.far} for row in by_calls(function, one.sizes)[:1])


def _rounds(one: Examination, trial: Trial, answer: Outcome) -> bool:
    """Whether an answer is wrong for what buffers lose as they are brought to the trial's dtype.

    It is where they can be left as they were made, and where the code does not run with them so.
    """
    if one.function.state is None or trial.judge(answer) is None:
        return False
    wide = replace(trial, wide=True)
    finding = wide.judge(one.run([wide], trial.dtype)[0])
    return finding is None or finding.kind == "dtype" or by_dtype(finding)


def _stalls(one: Examination, trial: Trial, answer: Outcome) -> Trial | None:
    """The end of the sequence, where it is wrong too, if sums are that bfloat16 no longer adds to.

    It has no more positions than bfloat16 has whole numbers: where positions are rounded, all is
    right there. Where they are not compared alone, what is made of them is rounded there as well.
    On a GPU, where atomics add in any order, such sums differ from run to run.
    """
    finding = trial.judge(answer)
    sizes = _within(one.function, trial.case.sizes)
    compares = any(slip.id == _COMPARED for slip in slips(one.kata.folder))
    if finding is None or finding.kind != "values" or not compares or sizes == trial.case.sizes:
        return None
    given, axes = trial.given, trial.case.axes(one.function)
    for name, length in sizes.items():
        given = given.cut(name, trial.case.sizes[name] - length, length, axes)
    near = one.trial_of(replace(trial.case, sizes=sizes), given, trial.dtype)
    near.keep = _behind(one.function, sizes) if near.keep is None else near.keep
    # Half a bound is more than right code loses there, and less than sums do that stall.
    near.bound = trial.bound / 2
    finding = near.judge(one.run([near], near.dtype)[0])
    return near if finding is not None and finding.kind == "values" else None


def _rotates(one: Examination) -> bool:
    """Whether positions are turned into angles, which are off before whole numbers are."""
    return any(slip.id.startswith("rope-") for slip in slips(one.kata.folder))


def _within(function: Function, sizes: dict[str, int]) -> dict[str, int]:
    """A long sequence's sizes, none beyond bfloat16's whole numbers but what objects have."""
    long = {*function.counted} - (function.module.symbols if function.module is not None else set())
    return {name: min(size, _WHOLE) if name in long else size for name, size in sizes.items()}


def away_from_zero(one: Examination) -> int:
    """How far from 0 normal values are tried too; 0 where that is not asked for."""
    normal = (each.far for each in one.function.arguments if each.kind == "normal")
    return max(normal, key=abs, default=0)


def _away(one: Examination) -> Iterator[list[Trial]]:
    """Yield float32 values far from 0, if they are asked for: their squares cancel in float32.

    Right code is off by some units of what they are around, u · far. The difference of two
    squares is off by u · far², all that a variance of 1 is. Far below 0 all powers are 0 but for
    what is taken off first, and what hides a score has to lie lower.
    """
    far = away_from_zero(one)
    if far:
        case = Case(
            check="values", sizes=one.sizes.first(), chosen=choices(one.function)[0], far=True,
            mask="random" if one.function.needs_mask else None,
        )  # fmt: skip
        trial = one.trial(case, torch.float32)
        exact = low_precision_bound(torch.float32, 1, 1, _SPREAD * abs(far))
        trial.bound = max(exact, one.function.loose)
        if _tells(one, trial):
            yield [trial]


def _excuse(fault: Raised | None, dtype: torch.dtype, *, autocast: bool) -> str:
    """Why an exception in low precision is no mistake, "" where it is one or there is none.

    mixture: autocast's own. overflow: of a fill in float16, which is worth a remark. lacking: an
    operator that this torch has not in this dtype.
    """
    if fault is None:
        return ""
    if autocast:
        return "mixture"
    if dtype is torch.float16 and "overflow" in fault.message:
        return "overflow"
    return "lacking" if "not implemented for" in fault.message else ""
