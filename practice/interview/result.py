"""An interview's result as plain data: all that its report shows, and nothing of how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...kata.catalogue import LANGUAGES
from .clock import Oddity, elapsed, oddities
from .questions import question_called
from .requirements import topics
from .score import Score, clarity, following, grade, level, score
from .session import Session, TimelineMark

__all__ = ["Answered", "Code", "Left", "Miss", "Mistake", "Result", "Step", "result_of"]

_Text = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A tier as it went. state: passed, open or unreached."""

    title: _Text
    state: str
    took: float
    submissions: int
    hints: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """A mistake of one submission: named, or the kind of fault that kept it from being judged."""

    name: str
    submission: int
    line: int | None
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Miss:
    """A submission that was right, and not what had been agreed on."""

    submission: int
    name: _Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """Something that the brief left open, and whether it was asked."""

    name: _Text
    how: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A question, what was written, and the points that were ticked."""

    ask: _Text
    answer: str
    points: Mapping[str, tuple[str, ...]]
    ticked: tuple[int, ...]

    @property
    def had(self) -> int:
        """How many points were ticked."""
        return len(self.ticked)

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.points[LANGUAGES[0]])


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """A submission: the text, its report as plain data, and whether it was accepted."""

    number: int
    tier: int
    at: float
    source: str
    accepted: bool
    report: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """An interview that has ended. score: nothing for practice."""

    number: int
    plan: str
    title: _Text
    level: str
    seed: int
    wall: float
    practice: bool
    minutes: float
    spent: float
    ended: str
    runs: int
    score: Score | None
    grade: str
    reached: str
    steps: tuple[Step, ...]
    mistakes: tuple[Mistake, ...]
    misses: tuple[Miss, ...]
    standings: tuple[Left, ...]
    questions: tuple[Answered, ...]
    oddities: tuple[Oddity, ...]
    following: tuple[tuple[str, str], ...]
    codes: tuple[Code, ...]
    marks: tuple[TimelineMark, ...]


def result_of(session: Session) -> Result:
    """Sum an interview up."""
    whole = elapsed(session.readings)
    limit = float("inf") if session.practice else session.minutes * 60
    names = {topic.id: topic.name for topic in topics()}
    return Result(
        number=session.number,
        plan=session.plan.id,
        title=session.plan.title,
        level=session.level,
        seed=session.seed,
        wall=session.wall,
        practice=session.practice,
        minutes=session.minutes,
        spent=min(whole, limit),
        ended=session.ended,
        runs=session.runs,
        score=None if session.practice else score(session),
        grade=grade(session),
        reached=level(session),
        steps=tuple(_step(session, at, min(whole, limit)) for at in range(len(session.stages))),
        mistakes=tuple(_mistakes(session)),
        misses=tuple(
            Miss(submission=one.number, name=names[topic])
            for one in session.submissions
            for topic in one.outcome.get("missed", ())
        ),
        standings=tuple(Left(name=names[one.topic], how=one.how) for one in clarity(session)),
        questions=tuple(_questions(session)),
        oddities=tuple(oddities(session.readings)),
        following=tuple(following(session)),
        codes=tuple(
            Code(
                number=one.number, tier=one.tier, at=min(one.at, limit), source=one.source,
                accepted=one.accepted, report=one.report,
            )
            for one in session.submissions
            if one.judged
        ),
        marks=tuple(session.marks),
    )  # fmt: skip


def _step(session: Session, at: int, whole: float) -> Step:
    stage = session.stages[at]
    state = "passed" if stage.passed else "unreached" if stage.began is None else "open"
    took = 0.0
    if stage.began is not None:
        took = max(0.0, min(whole, stage.ended if stage.ended is not None else whole) - stage.began)
    count = sum(one.tier == at for one in session.submissions)
    return Step(
        title=stage.tier.title, state=state, took=took, submissions=count, hints=stage.hints
    )


def _mistakes(session: Session) -> list[Mistake]:
    found: list[Mistake] = []
    for one in session.submissions:
        named = one.report.get("diagnosis", ()) if not one.accepted else ()
        fault = one.report.get("error")
        rows = [(row["mistake"], row["line"], row["message"]) for row in named]
        if fault and not rows:
            rows = [(fault["kind"], fault["line"], fault["message"])]
        found += [
            Mistake(name=name, submission=one.number, line=line, message=message)
            for name, line, message in rows
        ]
    return found


def _questions(session: Session) -> list[Answered]:
    found: list[Answered] = []
    for put in session.puts:
        asked = {language: question_called(put.name, language) for language in LANGUAGES}
        found.append(
            Answered(
                ask={language: one.ask for language, one in asked.items()},
                answer="\n".join(put.lines),
                points={language: one.points for language, one in asked.items()},
                ticked=put.ticked or (),
            )
        )
    return found
