"""Which edits of a submission are tried, in their order: the smallest, nearest and likeliest."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import replace
from itertools import islice

from ..diagnose.edits.likeness import Change
from ..diagnose.edits.small_edits import UNREAD, SmallEdit, small_edits
from ..diagnose.edits.upstream import guards, upstream
from ..process.handle import Candidate
from .examine import Examination
from .retried import Edited
from .source import Source

__all__ = ["PART", "SECONDS", "UNTOLD_SECONDS", "Back", "allow", "likely", "provable"]

# What stands in the model answer with a mistake, and what without.
Back = Sequence[tuple[str, str]]

# Each edit is read by Python, which takes long where there is much to read.
_LONGEST = 20_000
# Seconds of processor time for all of them, and where nothing says which are likely: where a call
# takes long they come to nothing.
SECONDS, UNTOLD_SECONDS = 1.0, 2.0
# How many edits are tried at once.
PART = 12
# How many are tried, how many of a class, which takes longer, and how many times as many where
# nothing says which are likely.
_MOST, _OF_CLASS, _UNTOLD = 96, 72, 8
# How much further away an edit is that stands a step behind the line, and how much nearer one is
# that does what brings the model answer's mistake back.
_STEP, _LIKE = 2, 3
# And how much further away what changes a line is on which all is as expected, and in steps, what
# stands behind the function's end rather than behind the line.
_FINE, _LATER = 6, 3
# How like that an edit has to be of what asks whether the line is reached.
_ALIKE = 0.5


def provable(one: Examination, source: Source) -> bool:
    """Whether edits can be tried of what was written."""
    tried = not one.kata.kernels and not one.function.models
    return tried and len(source.text) <= _LONGEST


def allow(candidate: Candidate, seconds: float = SECONDS) -> None:
    """Give a submission's process some time for edits: an edit may never end."""
    candidate.allow(replace(candidate.limits, seconds=seconds))


def likely(
    one: Examination, source: Source, lines: Sequence[int], back: Back = (),
    fine: AbstractSet[int] = frozenset(),
) -> Iterator[Edited]:  # fmt: skip
    """The edits behind some lines that there is time for, each with the text that it makes.

    fine: the lines on which all is as expected.
    """
    most = _OF_CLASS if one.function.module else _MOST
    tried = ((edit, edit.applied(source.text)) for edit in _ordered(source, lines, back, fine))
    readable = (each for each in tried if source.cells is not None or _reads(each[1]))
    return islice(readable, most if back else _UNTOLD * most)


def _reads(text: str) -> bool:
    """Whether Python reads a text."""
    with suppress(*UNREAD):
        ast.parse(text)
        return True
    return False


def _ordered(
    source: Source, lines: Sequence[int], back: Back, fine: AbstractSet[int]
) -> Iterator[SmallEdit]:
    wanted, distance = [Change.of(*pair) for pair in back], dict[int, int]()
    for later, line in enumerate(lines):
        for at, steps in upstream(source.tree, line).items():
            away = _LATER * later + steps
            distance[at] = min(away, distance.get(at, away))
    around = {at for line in lines for at in guards(source.tree, line)} if back else set[int]()
    found: list[tuple[float, int, SmallEdit]] = []
    for edit in small_edits(source.tree, source.text):
        steps = [distance[at] for at in edit.lines(source.text) if at in distance]
        made = Change.of(source.text[edit.start : edit.end], edit.new)
        # A sign that changes places in a pair turns a rotation, however the model answer does.
        like = max(map(made.like, wanted), default=0.0) if edit.cost >= 0 else 1.0
        # What is wrong and not reached any more is wrong still.
        if steps and (like >= _ALIKE or edit.line not in around):
            away = edit.cost + _STEP * min(steps) - _LIKE * like + _FINE * (edit.line in fine)
            found.append((away, edit.cost, edit))
    yield from (edit for _, _, edit in sorted(found, key=lambda one: one[:2]))
