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

from ...kata.slips import slips
from ..diagnose.likeness import Change
from ..diagnose.small_edits import UNREAD, SmallEdit, small_edits
from ..diagnose.upstream import guards, upstream
from ..process.answers import Outcome
from ..process.handle import Candidate, Ended, Foul
from ..process.requests import MakeCalls, Series
from ..report.report import Diagnosis, Mended, Report
from .examine import Examination
from .page import Page
from .source import Source
from .trials import Trial, answers_of
from .written import function_at

__all__ = ["prove", "running", "tell"]

# Each edit is read by Python, which takes long where there is much to read.
_LONGEST = 20_000
# Seconds of processor time for all of them; where a call takes long they come to nothing.
_SECONDS = 1.0
# How many edits are tried, how many times as many where nothing says which are likely, how many of
# a class, which takes longer, and how many at once.
_MOST, _UNTOLD, _OF_CLASS, _PART = 72, 3, 48, 12
# How much further away an edit is that stands a step behind the line, and how much nearer one is
# that does what brings the model answer's mistake back.
_STEP, _LIKE = 2, 3
# How like that an edit has to be of what asks whether the line is reached.
_ALIKE = 0.5
_BOTH = {"True", "False"}
# Mistakes that are told by the sizes that go wrong.
_OF_SIZES = {"length-fixed", "batch-fixed"}
# How many rows are shown of one.
_ROWS = 4
# In how many calls, of each kind, an edit has to hold that makes the first right.
_PROOFS = 16

_NOTHING = SmallEdit(1, 0, 0, "", 0)

_Unit = tuple[Examination, list[Trial]]


def prove(page: Page, all_of: Sequence[Examination], source: Source) -> None:
    """Bring the mistakes that were named to the line that one edit mends; what has no name, too.

    Nothing else is asked of the submission's process any more: an edit may never end.
    """
    wrong = [one for one in all_of if one.found.findings]
    if not wrong or not _provable(wrong[0], source):
        return
    named = _explained(wrong[0], page.report.diagnosis)
    if page.report.diagnosis and not named:
        return
    sized = bool(named) and named[0].mistake in _OF_SIZES
    line = _last(wrong[0], source) if sized else None
    line = line or (named[0].line if named else _unnamed(page.report)) or _last(wrong[0], source)
    if line is None:
        return
    # What ends it, or what it reaches for, is no finding.
    with suppress(Ended, Foul):
        candidate = wrong[0].candidate
        candidate.allow(replace(candidate.limits, seconds=_SECONDS))
        # What is told of several functions may have been made once, for all of them.
        failing = wrong[: len(named)] or wrong
        likely = _likely(wrong[0], source, line, _back(wrong, named))
        edit = _mending(failing, all_of, source, candidate, likely)
        if edit is not None:
            tell(edit, source, page.report, named, line)


def running(one: Examination, trial: Trial, line: int, source: Source) -> Iterator[SmallEdit]:
    """The edits behind a line with which a call gives something as large as it ought to be.

    Nothing else is asked of the submission's process any more, as above.
    """
    if not _provable(one, source):
        return
    with suppress(Ended, Foul):
        one.candidate.allow(replace(one.candidate.limits, seconds=_SECONDS))
        tried = _likely(one, source, line)
        while part := [*islice(tried, _PART)]:
            yield from _running(one, trial, part)


def _unnamed(report: Report) -> int | None:
    """Where something goes wrong that has no name."""
    lines = (each.line for each in (report.crash, report.departure) if each is not None)
    return next(filter(None, lines), None)


def _last(one: Examination, source: Source) -> int | None:
    """The last line of a function."""
    own = function_at(source, one.entry.line)
    return None if own is None else own.body[-1].lineno


def _explained(one: Examination, told: Sequence[Diagnosis]) -> list[Diagnosis]:
    """Those mistakes of which one edit may be the cause: the model answer's, and sizes."""
    known = _OF_SIZES.union(slip.id for slip in slips(one.kata.folder))
    return [each for each in told if each.mistake in known]


def _back(wrong: Sequence[Examination], named: Sequence[Diagnosis]) -> list[tuple[str, str]]:
    """What brings the model answer's mistake back that was named: what stands there, and with."""
    ids = {each.mistake for each in named}
    known = (slip for slip in slips(wrong[0].kata.folder) if slip.id in ids)
    return [(wrong, right) for slip in known for edit in slip.edits for right, wrong in edit]


def _provable(one: Examination, source: Source) -> bool:
    """Whether edits can be tried of what was written."""
    tried = not one.kata.kernels and not one.function.models
    return tried and len(source.text) <= _LONGEST


def _likely(
    one: Examination, source: Source, line: int, back: Sequence[tuple[str, str]] = ()
) -> Iterator[tuple[SmallEdit, str]]:
    """The edits that there is time for. back: as `_back` gives it."""
    most = _OF_CLASS if one.function.module else _MOST
    return islice(_tried(source, line, back), most if back else _UNTOLD * most)


def tell(
    edit: SmallEdit, source: Source, report: Report, named: Sequence[Diagnosis], line: int
) -> None:
    """Bring what is named, or the report, to an edit's line, and show that as it would be right.

    named: the mistakes of which it is the cause. The first is told of, there. line: where it was.
    """
    edit = edit.tidied(source.text)
    lines = edit.lines(source.text)
    rows = edit.applied(source.text).split("\n")[lines.start - 1 : lines.stop - 1]
    # Nobody writes a branch that is always taken.
    plain = edit.new not in _BOTH or source.text[edit.start : edit.end] in _BOTH
    shown = "\n".join(row.strip() for row in rows) if plain and len(rows) <= _ROWS else None
    meant = line if line in lines else edit.line
    yours = source.line(meant).strip()
    if named:
        named[0].line, named[0].yours, named[0].mended = meant, yours, shown
        beside = {id(each) for each in named[1:]}
        report.diagnosis = [each for each in report.diagnosis if id(each) not in beside]
    else:
        report.mended = Mended(line=meant, yours=yours, mended=shown)


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
    if _passing(wrong[:1], [(_NOTHING, f"{source.text}\n")], candidate):
        # What went wrong by what was called before goes right where the file is run anew.
        return None
    while part := [*islice(edits, _PART)]:
        # Another number may do for the calls that were tried alone.
        for found in sorted(_passing(wrong[:1], part, candidate), key=_counts):
            if _passing(proofs, [found], candidate):
                beside = _passing([*wrong[:1], *proofs], _beside(found[0], source), candidate)
                # An axis has two numbers. Where any is as good, what is done by it is left undone.
                if len(beside) < 2:
                    return found[0]
    return None


def _counts(tried: tuple[SmallEdit, str]) -> bool:
    """Whether an edit puts a number."""
    return tried[0].new.strip("-").isdigit()


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


def _tried(
    source: Source, line: int, back: Sequence[tuple[str, str]]
) -> Iterator[tuple[SmallEdit, str]]:
    """The edits that are tried, in their order, each with the text that it makes.

    back: as `_back` gives it.
    """
    distance, wanted = upstream(source.tree, line), [Change.of(*pair) for pair in back]
    around = guards(source.tree, line) if back else set[int]()
    found: list[tuple[float, int, SmallEdit]] = []
    for edit in small_edits(source.tree, source.text):
        steps = [distance[line] for line in edit.lines(source.text) if line in distance]
        made = Change.of(source.text[edit.start : edit.end], edit.new)
        # A sign that changes places in a pair turns a rotation, however the model answer does.
        like = max(map(made.like, wanted), default=0.0) if edit.cost >= 0 else 1.0
        # What is wrong and not reached any more is wrong still.
        if steps and (like >= _ALIKE or edit.line not in around):
            away = edit.cost + _STEP * min(steps) - _LIKE * like
            found.append((away, edit.cost, edit))
    seen = set[str]()
    for _, _, edit in sorted(found, key=lambda one: one[:2]):
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


def _running(
    one: Examination, trial: Trial, edits: Sequence[tuple[SmallEdit, str]]
) -> list[SmallEdit]:
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
