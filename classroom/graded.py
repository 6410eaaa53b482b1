"""What comes of grading: an answer's report or problem, in rows and in numbers."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from ..checker import Report, findings
from ..kata.catalogue import LANGUAGES, find
from ..kata.code import bare
from .collect import Answer

__all__ = ["Graded", "Grades", "Mistaken", "grades"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """An answer with what came of it. same: the other submissions with the same code."""

    answer: Answer
    report: Report | None = None
    same: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """pass, fail or error; `none` where nothing could be judged."""
        return self.report.verdict if self.report is not None else "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistaken:
    """What several get wrong. id: the mistake's; who: the submissions' names."""

    kata: str
    id: str
    who: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grades:
    """All of a round. rows: in the order of submissions. often: the most common mistakes first."""

    rows: Sequence[Graded]
    seed: int
    often: Sequence[Mistaken] = field(default_factory=tuple[Mistaken, ...])

    def count(self, kata: str | None = None) -> Counter[str]:
        """Count verdicts, of one kata or of all."""
        return Counter(one.verdict for one in self.rows if kata in {None, one.answer.kata})

    @property
    def katas(self) -> list[str]:
        """The katas that were answered, in order."""
        return sorted({one.answer.kata for one in self.rows if one.answer.kata})

    @property
    def submissions(self) -> list[str]:
        """The names of all submissions, in order."""
        return list(dict.fromkeys(one.answer.submission for one in self.rows))


def grades(
    answers: Sequence[Answer], reports: dict[str, Report], keys: Sequence[str], seed: int,
    *, hide: bool,
) -> Grades:  # fmt: skip
    """Put together what came of a round. keys: each answer's, under which its report stands."""
    pairs = zip(answers, keys, strict=True)
    rows = [Graded(answer=one, report=reports.get(key)) for one, key in pairs]
    rows = [_placed(one) for one in _compared(_hidden(rows) if hide else rows)]
    return Grades(rows=rows, seed=seed, often=_often(rows))


def _hidden(rows: Sequence[Graded]) -> list[Graded]:
    """Give submissions numbers that say nothing of their names, and their files too."""
    told = {
        name: hashlib.sha256(
            "".join(one.answer.digest for one in rows if one.answer.submission == name).encode()
            + name.encode("utf-8", "surrogateescape")
        ).hexdigest()
        for name in {one.answer.submission for one in rows}
    }
    width = max(3, len(str(len(told))))
    ordered = sorted(told, key=told.__getitem__)
    number = {name: f"{at:0{width}}" for at, name in enumerate(ordered, 1)}
    hidden: list[Graded] = []
    for one in rows:
        name = number[one.answer.submission]
        files = sorted(one.answer.beside)
        at = files.index(one.answer.file) + 1 if one.answer.file in files else 1
        file = f"{name}-{at}{PurePosixPath(one.answer.file).suffix}"
        hidden.append(replace(one, answer=replace(one.answer, submission=name, label=file)))
    return sorted(hidden, key=lambda one: one.answer.submission)


def _compared(rows: Sequence[Graded]) -> list[Graded]:
    """Say of each whose code it shares; what was handed out, unchanged, is nobody's."""
    owners: dict[tuple[str, str], dict[str, None]] = {}
    stubs = {kata: _stubs(kata) for kata in {one.answer.kata for one in rows if one.answer.kata}}
    for one in rows:
        if one.answer.code and one.answer.kata:
            owners.setdefault((one.answer.kata, one.answer.code), {})[one.answer.submission] = None
    found: list[Graded] = []
    for one in rows:
        sharing = owners.get((one.answer.kata, one.answer.code), {})
        handed_out = one.answer.code in stubs.get(one.answer.kata, set())
        same = () if handed_out else tuple(n for n in sharing if n != one.answer.submission)
        found.append(replace(one, same=same))
    return found


def _stubs(kata: str) -> set[str]:
    texts = (bare(find(kata).stub(language)) for language in LANGUAGES)
    return {hashlib.sha256(text.encode()).hexdigest() for text in texts}


def _placed(row: Graded) -> Graded:
    """Have a report call its file as the round does; one report may be several answers'."""
    if row.report is None:
        return row
    return replace(row, report=replace(row.report, file=row.answer.label))


def _often(rows: Sequence[Graded]) -> tuple[Mistaken, ...]:
    who: dict[tuple[str, str], dict[str, None]] = {}
    for one in rows:
        if one.report is not None and one.report.verdict != "pass":
            for name in {each.id for each in findings(one.report) if each.level == "error"}:
                who.setdefault((one.answer.kata, name), {})[one.answer.submission] = None
    ordered = sorted(who.items(), key=lambda item: (-len(item[1]), item[0]))
    return tuple(Mistaken(kata=kata, id=name, who=tuple(names)) for (kata, name), names in ordered)
