"""The bank of interview questions: what there is to ask, and what is due."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from ..kata.catalogue import Kata, Question, katas
from ..kata.numbers import Drawn, numbers
from . import clock
from .errors import Refusal
from .history import Attempt, Event
from .schedule import Standing, recalled
from .sittings import of_questions

__all__ = ["LEVELS", "RATINGS", "Card", "cards", "count_due", "sitting", "stands", "topics"]

LEVELS = ("junior", "senior")
RATINGS = ("again", "hard", "good", "easy")
# What a kata's own questions are about, where somebody asks by topic.
WORDS = "words"


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One question of the bank. topic: "words", or what its numbers are about."""

    id: str
    kata: str
    level: str
    topic: str
    asked: Question | Drawn
    standing: Standing = field(default_factory=Standing)


def topics() -> tuple[str, ...]:
    """Return what questions can be about."""
    return (WORDS, *sorted({one.topic for one in numbers()}))


def stands(story: Sequence[Attempt | Event]) -> dict[str, Standing]:
    """Return how each question that was rated stands."""
    reviews: dict[str, list[tuple[float, str]]] = {}
    for moment in story:
        if of_questions(moment) and isinstance(moment, Event):
            with suppress(ValueError, KeyError, TypeError):
                told = json.loads(moment.detail)
                if told["rating"] in RATINGS:
                    reviews.setdefault(str(told["id"]), []).append((moment.time, told["rating"]))
    return {name: recalled(told) for name, told in reviews.items()}


def count_due(story: Sequence[Attempt | Event]) -> int:
    """Return how many questions that were asked before are due today."""
    return sum(_is_due(one) for one in stands(story).values())


def cards(
    story: Sequence[Attempt | Event],
    language: str,
    kata: Kata | None = None,
    level: str | None = None,
    topic: str | None = None,
    seed: int = 0,
) -> list[Card]:
    """Return the questions that fit, in the katas' order. Raise Refusal where none does."""
    if topic is not None and topic not in topics():
        raise Refusal("questions-topic", topic=topic, topics=" ".join(topics()))
    known = stands(story)
    found = [
        card
        for card in _bank(language, seed, known)
        if (kata is None or card.kata == kata.id)
        and level in {None, card.level}
        and topic in {None, card.topic}
    ]
    if not found:
        raise Refusal("questions-level", level=level or topic or "", commands=("questions --list",))
    return found


def sitting(found: Sequence[Card], count: int, *, every: bool = False) -> list[Card]:
    """Return what to ask now: what is due, nearest to being forgotten first, then what is new."""
    due = [card for card in found if _is_due(card.standing)]
    due.sort(key=lambda card: card.standing.recall or 0.0)
    new = [card for card in found if card.standing.due is None]
    rest = [card for card in found if card not in due and card not in new] if every else []
    return [*due, *new, *rest][:count]


def _bank(language: str, seed: int, known: dict[str, Standing]) -> Iterator[Card]:
    counted = numbers()
    for kata in katas():
        for question in kata.questions(language):
            yield Card(
                id=question.id, kata=kata.id, level=question.level, topic=WORDS, asked=question,
                standing=known.get(question.id, Standing()),
            )  # fmt: skip
        for number in counted:
            if number.kata == kata.id:
                yield Card(
                    id=number.id, kata=kata.id, level=number.level, topic=number.topic,
                    asked=number.drawn(seed), standing=known.get(number.id, Standing()),
                )  # fmt: skip


def _is_due(stand: Standing) -> bool:
    return stand.due is not None and clock.day(stand.due) <= clock.day(clock.now())
