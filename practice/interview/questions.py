"""The questions between the tiers: the open one first, then some of the katas' banks."""

from __future__ import annotations

import random
from dataclasses import dataclass

from ...kata.catalogue import Kata, Question, find, katas
from .plan import Plan
from .texts import table

__all__ = ["Asked", "free_names", "kata_of", "named", "question_called", "questions_of"]

_OPEN = "open"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question as it is put. source: where its answer is to be read up."""

    id: str
    ask: str
    answer: str
    points: tuple[str, ...]
    trap: str
    source: str


def questions_of(plan: Plan, level: str, seed: int) -> tuple[tuple[str, ...], ...]:
    """Return the questions' names for each tier and, last, for the end; none comes twice."""
    chance = random.Random(f"questions {seed}")  # noqa: S311 - a draw, not a secret
    used: set[str] = set()
    rows: list[tuple[str, ...]] = []
    for tier in plan.tiers:
        drawn = _drawn((tier.kata,), tier.questions, level, chance, used)
        rows.append((f"{_OPEN}:{tier.kata.id}", *drawn))
    rows.append(_drawn(plan.closing_from, plan.closing, level, chance, used))
    return tuple(rows)


def _drawn(
    banks: tuple[Kata, ...], count: int, level: str, chance: random.Random, used: set[str]
) -> tuple[str, ...]:
    found = [(kata.id, one) for kata in banks for one in kata.questions("en")]
    found = [(kata, one) for kata, one in found if f"{kata}:{one.id}" not in used]
    chance.shuffle(found)
    # Those of the level first; the others fill up what is left.
    found.sort(key=lambda pair: pair[1].level != level)
    names = [f"{kata}:{one.id}" for kata, one in found[:count]]
    used.update(names)
    return tuple(names)


def question_called(name: str, language: str) -> Asked:
    """Return a question by the name that `questions_of` gives it."""
    bank, _, inner = name.partition(":")
    if bank == _OPEN:
        data = table("unasked.toml")
        row = data[inner][language]
        return Asked(
            id=name,
            ask=data["ask"][language],
            answer=row["answer"].strip(),
            points=tuple(row["points"]),
            trap="",
            source="",
        )
    one: Question = next(each for each in find(bank).questions(language) if each.id == inner)
    return Asked(
        id=name, ask=one.ask, answer=one.answer, points=one.points, trap=one.trap, source=one.source
    )


def kata_of(name: str) -> str:
    """Return the kata that a question is about."""
    bank, _, inner = name.partition(":")
    return inner if bank == _OPEN else bank


def free_names() -> tuple[str, ...]:
    """Return the names of all questions that are answered in one's own words."""
    banks = [f"{kata.id}:{one.id}" for kata in katas() for one in kata.questions("en")]
    return (*banks, *(f"{_OPEN}:{kata}" for kata in table("unasked.toml") if kata != "ask"))


def named(name: str) -> str:
    """Return a question's whole name for the one it has in its bank; raise KeyError."""
    for one in free_names():
        if name in {one, one.partition(":")[2] if not one.startswith(_OPEN) else one}:
            return one
    raise KeyError(name)
