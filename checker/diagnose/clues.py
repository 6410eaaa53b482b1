"""What the pattern of failing cases gives away: a batch, a length that is fixed, samples mixed."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from torch import Tensor

from ...kata.arithmetic import worth
from ..judge.case import Case
from ..judge.draw import small
from ..judge.examine import Examination
from ..judge.trials import Trial, same
from .limits import Sized, limit_line, outgrown
from .mixing import mixing_line

__all__ = ["Clue", "by_size", "mixed"]


class Clue(NamedTuple):
    """A mistake, its line, and what is said where that is not the mistake's own sentence."""

    mistake: str
    line: int | None
    says: str = ""


# A number of samples, and a length, that no reshape into a few parts happens to keep apart.
_BATCH, _LENGTH = 5, 4
_CLOSE = 1e-9


def by_size(
    rows: Sequence[Sized], tree: ast.AST | None, squeezed: int | None, *, own: bool
) -> Clue | None:
    """Name the mistake by which some batches or lengths fail and no others.

    tree: the class or function. squeezed: the line that takes axes of one away. own: whether
    lengths tell, which they do not where a mask has a part in it.
    """
    bad = [one for one in rows if one.kind]
    good = [one for one in rows if not one.kind]
    if not bad or not good:
        return None
    raised = {one.kind for one in bad} <= {"raised", "shape"}
    line = next((one.line for one in bad if one.line is not None), None)
    alone = [one for one in bad if one.batch == 1]
    apart = all(one.batch > 1 for one in good)
    ones = all(one.batch == 1 or one.length == 1 for one in bad)
    if raised and alone and (apart + ones + (squeezed is not None)) > 1:
        # An axis of one was taken away.
        return Clue("batch-fixed", squeezed or line)
    if all(one.batch > 1 for one in bad) and all(one.batch == 1 or one.length == 1 for one in good):
        return Clue("batch-fixed" if raised else "batch-mixed", line)
    if all(one.batch == 1 for one in bad) and all(one.batch > 1 for one in good):
        return Clue("batch-fixed", line)
    lengths = {one.length for one in good}
    told = not lengths & {one.length for one in bad} or (
        max(one.room for one in bad) < min(one.room for one in good)
    )
    outside = raised and (told or outgrown(bad, good))
    if own and (outside or min(one.length for one in bad) > max(lengths) > 1):
        return Clue("length-fixed", limit_line(tree or ast.Pass(), rows))
    return None


def mixed(one: Examination) -> Clue | None:
    """Say whether samples of one batch change each other's outputs, and on which line."""
    batch = one.sizes.symbols.get("batch")
    names = ("length", "query_length", "key_length")
    lengths = [one.sizes.symbols[name] for name in names if name in one.sizes.symbols]
    result = one.function.results[0].shape
    if batch is None or not lengths or batch not in result:
        return None
    for masked in {one.function.needs_mask, one.function.mask is not None}:
        case = next(small(one.function, one.sizes, mask=masked), None)
        if case is None:
            continue
        sizes = one.sizes.row({**case.sizes, batch: _BATCH, **dict.fromkeys(lengths, _LENGTH)})
        if _worked_out(one, case, sizes, batch):
            return None
        trials = _apart(one, replace(case, sizes=sizes), batch)
        axis = result.index(batch)
        right = [trial.expected[0] for trial in trials[:-1]]
        if not same([*right[0].split(1, dim=axis)], right[1:], _CLOSE):
            # What is divided by how many count in all samples depends on each of them.
            return None
        outs = [trial.results(trial.answer)[:1] for trial in one.recorded(trials)]
        if len(outs) < len(trials) or not all(outs):
            continue
        (whole,), singles, (again,) = outs[0], [out[0] for out in outs[1:-1]], outs[-1]
        if whole.shape == again.shape and not same([whole], [again], _CLOSE):
            # The samples alone, which came between, are kept somewhere.
            return Clue("nondeterministic", None, "fail-state")
        samples = [*whole.split(1, dim=axis)] if whole.dim() > axis else []
        # What has not a sample for each of the batch is of another shape, and tells nothing.
        if [one.shape for one in samples] != [one.shape for one in singles]:
            continue
        if same(samples, singles, _CLOSE):
            continue
        steps = [trial.answer.steps for trial in trials]
        line = mixing_line(steps[0], steps[1:-1], _BATCH * _LENGTH)
        counted = _by_count(one, trials[0], batch, (samples[0], singles[0]), axis)
        return Clue("batch-mixed", line, "batch-counted" if counted else "")
    return None


def _by_count(
    one: Examination, trial: Trial, batch: str, first: tuple[Tensor, Tensor], axis: int
) -> bool:
    """Whether the first sample's output is the same where all others are as the first.

    first: what it is in the batch, and alone, where it has to be another.
    """
    axes, given = trial.case.axes(one.function), trial.given
    alone = given.cut(batch, 0, 1, axes).tensors
    alike = {name: alone[name].expand_as(one).clone() for name, one in given.tensors.items()}
    other = replace(given, tensors=alike)
    (again,) = one.recorded([one.trial_of(trial.case, other, one.found.work)])
    outs = again.results(again.answer)[:1]
    made = [outs[0].narrow(axis, 0, 1)] if outs else []
    return bool(made) and same(made, [first[0]], _CLOSE) and not same(made, [first[1]], _CLOSE)


def _worked_out(one: Examination, case: Case, sizes: dict[str, int], batch: str) -> bool:
    """Whether an axis is worked out from the batch, as that of all beams is: none can be cut."""
    single = one.sizes.row({**sizes, batch: 1})
    shapes = case.axes(one.function).values()
    others = {axis for shape in shapes for axis in shape} - {batch}
    return any(worth(axis, sizes) != worth(axis, single) for axis in others)


def _apart(one: Examination, case: Case, batch: str) -> list[Trial]:
    """A batch, each of its samples alone, and the batch again, on an object each.

    What is kept between calls is another mistake.
    """
    given, work = one.drawn(case), one.found.work
    single = replace(case, sizes={**case.sizes, batch: 1})
    axes = case.axes(one.function)
    alone = (given.cut(batch, number, 1, axes) for number in range(_BATCH))
    trials = [one.trial_of(case, given, work), *(one.trial_of(single, g, work) for g in alone),
              one.trial_of(case, given, work)]  # fmt: skip
    for number, trial in enumerate(trials):
        trial.group = -1 - number
    return trials
