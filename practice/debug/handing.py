"""Hand an exercise out: draw it, have the judge find all that is planted, and write the file."""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ...checker import Report
from ...kata.catalogue import Kata
from .exercise import Exercise, Order, worked_out
from .forms import FORMS

if TYPE_CHECKING:
    from ...checker import Options

__all__ = [
    "Judge",
    "Judges",
    "Proved",
    "Unproved",
    "by_bench",
    "drawn",
    "drawn_seed",
    "found_alone",
    "found_in_turn",
    "proved",
]

# Draws from one seed before it is given up. The first is nearly always found.
_TAKES = 12
# Seeds that are looked at for one that plants what one got wrong before.
_SEEDS = 24
# And that are tried, one after another, where none of the draws from one was found whole.
_OTHERS = 3
# What is too large is said beside what makes it so.
_BESIDES = {"tensor-too-large", "state-too-large"}

Judge = Callable[[str], Report]


class Judges(Protocol):
    """What is asked of `checker.client.Bench`."""

    def judge(self, kata: str, files: Sequence[Path], options: Options) -> Iterator[Report]:
        """Judge files, in their order."""
        ...


class Unproved(Exception):
    """The judge did not find what was planted in any of the draws from a seed."""

    def __init__(self, seed: int) -> None:
        super().__init__(f"seed {seed}")
        self.seed = seed


@dataclass(frozen=True, slots=True, kw_only=True)
class Proved:
    """An exercise of which the judge finds every bug. report: on the file as it is handed out."""

    exercise: Exercise
    report: Report


def proved(order: Order, judge: Judge) -> Proved:
    """Return the first exercise of an order that the judge finds whole. Raise Unproved.

    Each draw is tried in a form of its own first, then as it was written.
    """
    for take in range(_TAKES):
        form = 1 + random.Random(f"{order.said} {take}").randrange(FORMS)  # noqa: S311
        for one in (replace(order, take=take, form=form), replace(order, take=take)):
            exercise = worked_out(one)
            if exercise is None:
                continue
            report = found_in_turn(exercise, judge)
            if report is not None and found_alone(exercise, judge):
                return Proved(exercise=exercise, report=report)
    raise Unproved(order.seed)


def found_in_turn(exercise: Exercise, judge: Judge) -> Report | None:
    """Judge an exercise, mend what is named, and judge again until it passes.

    Return the report on the file as it is handed out; None where something else is named, or
    something on another line, or nothing.
    """
    first: Report | None = None
    mended: list[int] = []
    while True:
        report = judge(exercise.mended(*mended))
        first = first or report
        left = [at for at in range(len(exercise.planted)) if at not in mended]
        if report.verdict == "pass":
            return None if left else first
        hit = _named(report, exercise, left)
        if not hit:
            return None
        mended += hit


def found_alone(exercise: Exercise, judge: Judge) -> bool:
    """Whether each bug is named on its line where all others are mended.

    Of a file as it was written that is proved already; in another form it is tried.
    """
    places = range(len(exercise.planted))
    if len(places) == 1 or not exercise.order.form:
        return True
    return all(
        _named(judge(exercise.mended(*(at for at in places if at != one))), exercise, [one])
        for one in places
    )


def drawn(order: Order, wrong_before: Counter[str], judge: Judge) -> tuple[Proved, bool]:
    """Prove an exercise of a seed that nobody chose; say whether it has what was wrong before.

    Where one seed has none, another is drawn, a few times. Raise Unproved.
    """
    for left in reversed(range(_OTHERS)):
        seed, again = drawn_seed(order.kata, order.count, order.level, wrong_before)
        try:
            return proved(replace(order, seed=seed), judge), again
        except Unproved:
            if not left:
                raise
    raise AssertionError("the last seed returns or raises")


def drawn_seed(kata: Kata, count: int, level: str, wrong_before: Counter[str]) -> tuple[int, bool]:
    """Return a seed that nobody chose, and whether it plants what one got wrong before."""
    draw = random.SystemRandom()
    seeds = [draw.randrange(1, 10_000) for _ in range(_SEEDS)]
    for seed in seeds if wrong_before else ():
        exercise = worked_out(Order(kata=kata, seed=seed, count=count, level=level))
        if exercise is not None and any(one.mistake in wrong_before for one in exercise.planted):
            return seed, True
    return seeds[0], False


def by_bench(bench: Judges, kata: Kata) -> Judge:
    """Return a judge of texts: the same inputs each time, without a GPU."""
    from ...checker import Options

    options = Options(seed=11, device="cpu", timeout=60)

    @cache
    def judge(text: str) -> Report:
        with tempfile.TemporaryDirectory(prefix="attn-kata-") as place:
            file = Path(place) / "exercise.py"
            file.write_text(text, "utf-8")
            return next(bench.judge(kata.id, [file], options))

    return judge


def _named(report: Report, exercise: Exercise, left: Sequence[int]) -> list[int]:
    """The bugs that a report names on their lines; none where it names anything else."""
    told = {(one.mistake, one.line) for one in report.diagnosis if one.mistake not in _BESIDES}
    places: dict[tuple[str, int | None], int] = {
        (exercise.planted[at].mistake, exercise.planted[at].line): at for at in left
    }
    return [places[one] for one in told] if told and told <= set(places) else []
