"""An interview's result as plain data: all that its report shows, and nothing of how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...checker import Said, said
from ...kata.catalogue import LANGUAGES
from .clock import Oddity, oddities
from .evidence import Evidence
from .grades import (
    FLOORS,
    Dimension,
    dimensions,
    grade,
    level,
    missing,
    next_level,
)
from .practise import Learn, following, to_learn
from .requirements import answers, topics
from .session import Put, Session, TimelineMark
from .standing import clarity

__all__ = [
    "Answered",
    "Code",
    "Evidence",
    "Left",
    "Miss",
    "Mistake",
    "Result",
    "Step",
    "Talk",
    "result_of",
]

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
    message: Said


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
    """A question and what was written to it.

    made: what was heard, point by point; an exact question has one. ticked: what the candidate
    says was made. reader: exact, words, none or a model's name. model: a good answer.
    """

    ask: _Text
    answer: str
    points: Mapping[str, tuple[str, ...]]
    made: tuple[bool, ...]
    ticked: tuple[int, ...]
    reader: str
    quotes: tuple[str, ...]
    exact: bool
    model: _Text

    @property
    def had(self) -> int:
        """How many points were heard."""
        return sum(self.made)

    @property
    def count(self) -> int:
        """How many there are."""
        return max(1, len(self.made))

    @property
    def claimed(self) -> int:
        """How many points stand on the candidate's word alone."""
        return sum(1 for at in self.ticked if at > len(self.made) or not self.made[at - 1])


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """What the candidate asked or said aloud, and what the interviewer said to it."""

    text: str
    reply: Mapping[str, tuple[str, ...]]


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
    """An interview that has ended.

    dimensions: what was shown, with its evidence; none for practice. floors: what the level
    that was asked for wants. missed: the dimensions below it, which decided. above: the next
    level, and what it would want besides. lookups: commands used meanwhile.
    """

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
    dimensions: tuple[Dimension, ...]
    floors: tuple[int, ...]
    missed: tuple[tuple[str, int, int], ...]
    above: str
    wanted: tuple[tuple[str, int, int], ...]
    grade: str
    reached: str
    lookups: tuple[str, ...]
    talk: tuple[Talk, ...]
    learn: tuple[Learn, ...]
    examiner: str
    steps: tuple[Step, ...]
    mistakes: tuple[Mistake, ...]
    misses: tuple[Miss, ...]
    standings: tuple[Left, ...]
    questions: tuple[Answered, ...]
    oddities: tuple[Oddity, ...]
    following: tuple[tuple[str, str], ...]
    codes: tuple[Code, ...]
    marks: tuple[TimelineMark, ...]


def result_of(session: Session, lookups: Sequence[str] = ()) -> Result:
    """Sum an interview up. lookups: what was looked up while it was held."""
    marked = () if session.practice else dimensions(session, lookups)
    above = next_level(session.level)
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
        spent=session.used,
        ended=session.ended,
        runs=len(session.runs),
        dimensions=marked,
        floors=FLOORS[session.level],
        missed=missing(marked, session.level) if marked else (),
        above=above,
        wanted=missing(marked, above) if marked and above else (),
        grade=grade(session, marked) if marked else "",
        reached=level(session, marked) if marked else "none",
        lookups=tuple(lookups),
        talk=tuple(_talk(session)),
        learn=tuple(to_learn(session)),
        examiner=session.examiner,
        steps=tuple(_step(session, at, session.used) for at in range(len(session.stages))),
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
        # What is planted is nobody's mistake; what was broken beside it is.
        report = one.report.get("debug") or one.report
        key = "broken" if "broken" in report else "diagnosis"
        named = report.get(key, ()) if not one.accepted else ()
        fault = one.report.get("error")
        rows = [
            (row["mistake"], row["line"], said(row["message"])) for row in named if row["mistake"]
        ]
        if fault and not rows:
            rows = [(fault["kind"], fault["line"], said(fault["message"]))]
        if not rows and one.judged and not one.accepted and key == "diagnosis":
            rows = _unnamed(one.report)
        found += [
            Mistake(name=name, submission=one.number, line=line, message=message)
            for name, line, message in rows
        ]
    return found


def _unnamed(report: Mapping[str, Any]) -> list[tuple[str, int | None, Said]]:
    """Return the first check that fails where no mistake has a name, and the line if known."""
    failing = [one for one in report["checks"] if one["status"] == "fail"]
    departure = report.get("departure") or {}
    return [(one["id"], departure.get("line"), said(one["detail"])) for one in failing[:1]]


def _questions(session: Session) -> list[Answered]:
    return [_answered(put) for put in session.puts if put.answered]


def _answered(put: Put) -> Answered:
    asked = {language: put.asked(language) for language in LANGUAGES}
    return Answered(
        ask={language: one.ask for language, one in asked.items()},
        answer=put.text,
        points={language: one.points for language, one in asked.items()},
        made=put.made or (),
        ticked=put.ticked or (),
        reader=put.reader,
        quotes=put.quotes,
        exact=asked[LANGUAGES[0]].exact,
        model={language: one.model for language, one in asked.items()},
    )


def _talk(session: Session) -> list[Talk]:
    """Return the clarifying questions with their answers."""
    found: list[Talk] = []
    known = {topic.id: topic for topic in topics()}
    for one in session.clarified:
        rows = [known[name] for name in one.topics if name in known]
        kata = session.stages[min(one.tier, len(session.stages) - 1)].tier.kata
        reply = {
            language: tuple(answers(rows, kata, session.drawn, language)) for language in LANGUAGES
        }
        found.append(Talk(text=one.text, reply=reply))
    return found
