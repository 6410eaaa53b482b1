"""A small edit of the submission that makes what went wrong right, and so proves the line.

Where a mistake was named, its line is a reading of the trace. Edits of what has a part in that line
are tried, the smallest and nearest first: one that makes the calls that went wrong right, and
leaves the others as they were, shows where it is made and how the line would be right.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Any

from ...kata.slips import Slip, slips
from ..diagnose.likeness import likeness
from ..diagnose.small_edits import UNREAD, SmallEdit, small_edits
from ..diagnose.upstream import upstream
from ..process.answers import Outcome
from ..process.handle import Candidate, Ended, Foul
from ..process.requests import MakeCalls, Series
from ..report.report import Diagnosis
from .examine import Examination
from .page import Page
from .source import Source
from .trials import Trial, answers_of

__all__ = ["prove"]

# Each edit is read by Python, which takes long where there is much to read.
_LONGEST = 20_000
# Seconds of processor time for all of them; where a call takes long they come to nothing.
_SECONDS = 1.0
# How many edits are tried, of a class, which takes longer, and how many at once.
_MOST, _OF_CLASS, _PART = 72, 48, 12
# How much further away an edit is that stands a step behind the line, and how much nearer one is
# that does what brings the model answer's mistake back.
_STEP, _LIKE = 2, 3
# In how many calls, of each kind, an edit has to hold that makes the first right.
_PROOFS = 16

_Unit = tuple[Examination, list[Trial]]


def prove(page: Page, all_of: Sequence[Examination], source: Source) -> None:
    """Where one mistake alone is told of, bring it to the line that one edit mends.

    Nothing else is asked of the submission's process any more: an edit may never end.
    """
    wrong, named = [one for one in all_of if one.found.findings], page.report.diagnosis
    line = named[0].line if named else None
    known = _known(wrong[0], {one.mistake for one in named}) if wrong else []
    if line is None or not known or not _provable(wrong[0], source):
        return
    # What ends it, or what it reaches for, is no finding.
    with suppress(Ended, Foul):
        candidate = wrong[0].candidate
        candidate.allow(replace(candidate.limits, seconds=_SECONDS))
        # What is told of several functions may have been made once, for all of them.
        tried = _tried(source, line, known)
        edit = _mending(wrong[: len(named)], all_of, source, candidate, tried)
        if edit is not None:
            del named[1:]
            _bring(named[0], edit.tidied(source.text), source)


def _known(one: Examination, named: set[str]) -> list[Slip]:
    """The mistake of the model answer that was named, in each of its rows, if it is one alone."""
    return [slip for slip in slips(one.kata.folder) if {slip.id} == named and slip.edits]


def _provable(one: Examination, source: Source) -> bool:
    """Whether edits can be tried of what was written."""
    tried = not one.kata.kernels and not one.function.models and source.cells is None
    return tried and len(source.text) <= _LONGEST


def _bring(told: Diagnosis, edit: SmallEdit, source: Source) -> None:
    """Bring what is told to an edit's line, and show it as it would be right, if it is one."""
    told.line, told.yours = edit.line, source.line(edit.line).strip()
    if "\n" not in source.text[edit.start : edit.end]:
        told.mended = edit.applied(source.text).split("\n")[edit.line - 1].strip()


def _mending(
    failing: Sequence[Examination], all_of: Sequence[Examination], source: Source,
    candidate: Candidate, edits: Iterator[tuple[SmallEdit, str]],
) -> SmallEdit | None:  # fmt: skip
    """The first of some edits with which all is right. Raise Ended, Foul."""
    one = failing[0]
    wrong = _wrong(one)
    if not wrong:
        return None
    others = [unit for each in failing[1:] for unit in _sample(_wrong(each))]
    fine = [unit for each in all_of for unit in _sample(_fine(each))]
    proofs = [*_sample(wrong[1:]), *others, *fine]
    tried = islice(edits, _OF_CLASS if one.function.module else _MOST)
    while part := [*islice(tried, _PART)]:
        for found in _passing(wrong[:1], part, candidate):
            if _passing(proofs, [found], candidate):
                beside = _passing([*wrong[:1], *proofs], _beside(found[0], source), candidate)
                # An axis has two numbers. Where any is as good, what is done by it is left undone.
                if len(beside) < 2:
                    return found[0]
    return None


def _beside(edit: SmallEdit, source: Source) -> list[tuple[SmallEdit, str]]:
    """The other numbers or signs that may stand where an edit puts one."""
    others = small_edits(source.tree, source.text) if edit.cost == 1 else ()
    return [(each, each.applied(source.text)) for each in others
            if each.cost == 1 and edit.beside(each)]  # fmt: skip


def _failed(one: Examination) -> Iterator[Trial]:
    many = (finding for group in one.found.findings.values() for finding in group)
    return (finding.trial for finding in many if not finding.trial.missing)


def _wrong(one: Examination) -> list[_Unit]:
    """The calls of a function that are answered wrongly, the lightest first."""
    return _units(one, sorted(_failed(one), key=lambda trial: trial.weight))


def _fine(one: Examination) -> list[_Unit]:
    """The calls of a function that are answered right."""
    failed = {id(trial) for trial in _failed(one)}
    units = _units(one, [trial for trial in one.tried if not trial.missing])
    return [(each, unit) for each, unit in units if not failed & {*map(id, unit)}]


def _units(one: Examination, trials: Sequence[Trial]) -> list[_Unit]:
    """The calls that are made by themselves, and whole series, each once."""
    series: dict[int, list[Trial]] = {}
    for trial in one.tried:
        series.setdefault(trial.group, []).append(trial)
    found = {trial.group or id(trial): series[trial.group] if trial.group else [trial]
             for trial in trials if not trial.group or trial.group in series}  # fmt: skip
    return [(one, unit) for unit in found.values()]


def _sample(units: Sequence[_Unit]) -> Sequence[_Unit]:
    return units[:: len(units) // _PROOFS + 1]


def _tried(source: Source, line: int, known: Sequence[Slip]) -> Iterator[tuple[SmallEdit, str]]:
    """The edits that are tried, in their order, each with the text that it makes."""
    distance = upstream(source.tree, line)
    back = [(wrong, right) for slip in known for edit in slip.edits for right, wrong in edit]

    def away(edit: SmallEdit) -> tuple[float, int]:
        old = source.text[edit.start : edit.end]
        # A sign that changes places in a pair turns a rotation, however the model answer does.
        like = max(likeness(old, edit.new, *pair) for pair in back) if edit.cost >= 0 else 1.0
        return edit.cost + _STEP * distance[edit.line] - _LIKE * like, edit.cost

    edits = (edit for edit in small_edits(source.tree, source.text) if edit.line in distance)
    seen = set[str]()
    for edit in sorted(edits, key=away):
        text = edit.applied(source.text)
        if text not in seen:
            seen.add(text)
            with suppress(*UNREAD):
                ast.parse(text)
                yield edit, text


def _passing(
    units: Sequence[_Unit], edits: Sequence[tuple[SmallEdit, str]], candidate: Candidate
) -> list[tuple[SmallEdit, str]]:
    """Those of some edits with which all calls of some units are answered right."""
    plain = [(trials, _series(one, trials)) for one, trials in units]
    asked = [replace(each, source=text) for _, text in edits for _, many in plain for each in many]
    results = iter(candidate.ask(MakeCalls(series=asked)).results)
    found: list[tuple[SmallEdit, str]] = []
    for edit in edits:
        # All are read, so that each edit has its own.
        right = [_right(trials, [*_answers(many, results)]) for trials, many in plain]
        if all(right):
            found.append(edit)
    return found


def _series(one: Examination, trials: Sequence[Trial]) -> list[Series]:
    """The calls of some trials, of which nothing is noted."""
    many = one.series_of(trials, trials[0].dtype)
    return [
        replace(each, record=False, calls=[
            call if call.train else replace(call, record=None) for call in each.calls
        ])
        for each in many
    ]  # fmt: skip


def _answers(many: Sequence[Series], results: Iterator[Any]) -> Iterator[Outcome]:
    for series in many:
        yield from answers_of(next(results), len(series.calls))


def _right(trials: Sequence[Trial], answers: Sequence[Outcome]) -> bool:
    # What a trial was answered by the submission as it is stays with it.
    judged = (copy.copy(trial).judge(answer) for trial, answer in zip(trials, answers, strict=True))
    return all(finding is None for finding in judged)
