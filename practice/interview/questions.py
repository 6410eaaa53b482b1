"""The questions: the open one, the katas' banks, and those from the candidate's own code.

A question goes by a name: `open:KATA`, `KATA:ID` in a bank, or `own:KATA:WHAT`, whose text was
made from the code and is kept with the event that put it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from ...kata.catalogue import LANGUAGES, ExactQuestion, Kata, Question, find, katas
from .hearing.acts import CJK
from .texts import table

__all__ = [
    "Asked",
    "drilled",
    "free_names",
    "kata_of",
    "named",
    "question_called",
    "question_put",
    "tells",
    "what_of",
]

OPEN = "open"
OWN = "own"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question as it is put. source: where its answer is to be read up.

    kind is free (in one's own words), choose, order, number, shape or line. expected: what is
    right for an exact one: an index or the order of the options as numbers, or numbers of which
    each is right (line) or all are wanted (shape). numeric: it is about numerics or cost.
    """

    id: str
    ask: str
    answer: str
    points: tuple[str, ...] = ()
    trap: str = ""
    source: str = ""
    kind: str = "free"
    options: tuple[str, ...] = ()
    expected: tuple[float, ...] = ()
    numeric: bool = False

    @property
    def exact(self) -> bool:
        """Whether it has one right answer."""
        return self.kind != "free"

    @property
    def model(self) -> str:
        """A good answer; for an exact question what is right, and why."""
        right = " → ".join(self.options[int(at)] for at in self.expected) if self.options else ""
        stop = "。" if CJK.search(self.answer) else ". "
        return f"{right}{stop}{self.answer}" if right else self.answer


def question_put(name: str, language: str, own: Mapping[str, Any] | None) -> Asked:
    """Return a question that was put. own: what its event keeps of one made from the code."""
    if own is None:
        return question_called(name, language)
    words: Mapping[str, Any] = own[language]
    return Asked(
        id=name,
        ask=words["ask"],
        answer=words["answer"],
        kind=own["kind"],
        options=tuple(words.get("options", ())),
        expected=tuple(own["expected"]),
        numeric=own["numeric"],
    )


@cache
def question_called(name: str, language: str) -> Asked:
    """Return a question of a bank, or the open one, by its name."""
    bank, _, inner = name.partition(":")
    if bank == OPEN:
        data = table("unasked.toml")
        row = data[inner][language]
        return Asked(
            id=name,
            ask=data["ask"][language],
            answer=row["answer"].strip(),
            points=tuple(row["points"]),
        )
    kata = find(bank)
    for each in kata.exact_questions(language):
        if each.id == inner:
            return _exact(name, each)
    one: Question = next(each for each in kata.questions(language) if each.id == inner)
    return Asked(
        id=name, ask=one.ask, answer=one.answer, points=one.points, trap=one.trap, source=one.source
    )


def _exact(name: str, one: ExactQuestion) -> Asked:
    expected = {
        "choose": (0.0,),
        "order": tuple(float(at) for at in range(len(one.options))),
    }.get(one.kind, (one.value,))
    return Asked(
        id=name,
        ask=one.ask,
        answer=one.answer,
        kind=one.kind,
        options=one.options,
        expected=expected,
        numeric=one.numeric,
    )


def kata_of(name: str) -> str:
    """Return the kata that a question is about."""
    parts = name.split(":")
    return parts[1] if parts[0] in {OPEN, OWN} else parts[0]


def what_of(name: str) -> str:
    """Return what a question about one's own code is about, whatever the kata."""
    return name.rpartition(":")[2]


@cache
def tells(name: str) -> frozenset[str]:
    """Return the questions of which the right answer to this one gives a good part away."""
    bank, _, inner = name.partition(":")
    if bank == OWN:
        return frozenset(table("own.toml")["tells"].get(what_of(name), ()))
    if bank == OPEN:
        return frozenset()
    rows = find(bank).exact_questions(LANGUAGES[0])
    return frozenset(f"{bank}:{one}" for row in rows if row.id == inner for one in row.tells)


def free_names() -> tuple[str, ...]:
    """Return the names of all questions that are answered in one's own words."""
    banks = [f"{kata.id}:{one.id}" for kata in katas() for one in kata.questions("en")]
    return (*banks, *(f"{OPEN}:{kata}" for kata in table("unasked.toml") if kata != "ask"))


def drilled(name: str) -> bool:
    """Whether a question is one that `questions` asks too, in one's own words."""
    return name in free_names() and not name.startswith(OPEN)


def open_question(kata: Kata) -> str:
    """Return the name of the open question after a kata; "" where it has none."""
    return f"{OPEN}:{kata.id}" if kata.id in table("unasked.toml") else ""


def named(name: str) -> str:
    """Return a question's whole name for the one it has in its bank; raise KeyError."""
    for one in free_names():
        if name in {one, one.partition(":")[2] if not one.startswith(OPEN) else one}:
            return one
    raise KeyError(name)
