"""Calls that are made again, with edits of the submission in its place."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ..diagnose.edits.small_edits import SmallEdit
from ..process.answers import Outcome
from ..process.handle import Candidate
from ..process.requests import MakeCalls, Series
from .examine import Examination
from .trials import Trial, answers_of

__all__ = ["Edited", "Unit", "fine_calls", "passing", "running", "sample", "wrong_calls"]

# In how many calls, of each kind, an edit has to hold that makes the first right.
_PROOFS = 16

# What is called, and one call or a series of them.
Unit = tuple[Examination, list[Trial]]
# An edit, and the text that it makes.
Edited = tuple[SmallEdit, str]


def wrong_calls(one: Examination) -> list[Unit]:
    """The calls of a function that are answered wrongly, the lightest first."""
    return _units(one, sorted(_failed(one), key=lambda trial: trial.weight))


def fine_calls(one: Examination) -> list[Unit]:
    """The calls of a function that are answered right."""
    failed = {id(trial) for trial in _failed(one)}
    units = _units(one, [trial for trial in one.tried if not trial.missing])
    return [(each, unit) for each, unit in units if not failed & {*map(id, unit)}]


def sample(units: Sequence[Unit]) -> Sequence[Unit]:
    """As many of some calls as there is time for, from all over."""
    return units[:: len(units) // _PROOFS + 1]


def passing(units: Sequence[Unit], edits: Sequence[Edited], candidate: Candidate) -> list[Edited]:
    """Those of some edits with which all calls of some units are answered right."""
    plain = [(trials, _series(one, trials)) for one, trials in units]
    asked = [replace(each, source=text) for _, text in edits for _, many in plain for each in many]
    results = iter(candidate.ask(MakeCalls(series=asked)).results)
    found: list[Edited] = []
    for edit in edits:
        # All are read, so that each edit has its own.
        right = [_right(trials, [*_answers(many, results)]) for trials, many in plain]
        if all(right):
            found.append(edit)
    return found


def running(one: Examination, trial: Trial, edits: Sequence[Edited]) -> list[SmallEdit]:
    """Those of some edits with which a call gives something as large as it ought to be."""
    # An object that is made in another size has room for other weights: it keeps its own.
    series = [replace(each, weights={}) for each in _series(one, [trial])]
    asked = [replace(each, source=text) for _, text in edits for each in series]
    results = iter(one.candidate.ask(MakeCalls(series=asked)).results)
    found: list[SmallEdit] = []
    for edit, _ in edits:
        (answer,) = _answers(series, results)
        finding = copy.copy(trial).judge(answer)
        # Which weight is which is not known yet.
        if finding is None or finding.kind == "values":
            found.append(edit)
    return found


def _failed(one: Examination) -> Iterator[Trial]:
    many = (finding for group in one.found.findings.values() for finding in group)
    return (finding.trial for finding in many if not finding.trial.missing)


def _units(one: Examination, trials: Sequence[Trial]) -> list[Unit]:
    """The calls that are made by themselves, and whole series, each once."""
    series: dict[int, list[Trial]] = {}
    for trial in one.tried:
        series.setdefault(trial.group, []).append(trial)
    found = {trial.group or id(trial): series[trial.group] if trial.group else [trial]
             for trial in trials if not trial.group or trial.group in series}  # fmt: skip
    return [(one, unit) for unit in found.values()]


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
