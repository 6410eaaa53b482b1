"""Interview questions at the terminal: recall, reveal, rate."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from ..kata.numbers import Drawn
from ..practice.bank import RATINGS, Card
from .lists import next_lines
from .screen import Screen
from .text import Line, cells, pad, wrap
from .times import in_days

__all__ = ["ask_all", "list_lines"]

Rate = Callable[[Card, str], None]


def ask_all(screen: Screen, asked: Sequence[Card], rate: Rate) -> int:
    """Put the questions one after the other; return how many were rated."""
    for done, card in enumerate(asked):
        screen.print(_head(screen, card, done + 1, len(asked)))
        told = card.asked
        rating = _number(screen, told) if isinstance(told, Drawn) else _words(screen, card)
        if rating is None:
            return done
        rate(card, rating)
        screen.print([[]])
    return len(asked)


def list_lines(found: Sequence[Card], screen: Screen) -> list[Line]:
    """List questions: a line each, with its level and when it is due."""
    lines: list[Line] = []
    kata = ""
    for card in found:
        if card.kata != kata:
            kata = card.kata
            lines += [*([[]] if lines else []), [(kata, "bold")]]
        due = card.standing.due
        when = in_days(due, screen.language) if due is not None else ""
        head = f"  {pad(card.level, 8)}{pad(when, 12)}"
        ask = card.asked.ask
        text = " ".join((ask if isinstance(ask, str) else ask(screen.language)).split())
        rows = wrap(text, screen.width - cells(head))
        lines += [[(head if at == 0 else " " * cells(head), "dim"), (row, "")]
                  for at, row in enumerate(rows)]  # fmt: skip
    onward = next_lines(("attn-kata questions", "attn-kata due"), screen.language)
    return [*lines, [], *onward]


def _head(screen: Screen, card: Card, number: int, count: int) -> list[Line]:
    title = screen.say(
        "questions-head", kata=card.kata, level=card.level, number=number, count=count
    )
    ask = card.asked.ask
    text = ask if isinstance(ask, str) else ask(screen.language)
    return [[(title, "dim")], *([(row, "bold")] for row in wrap(_flat(text), screen.width))]


def _words(screen: Screen, card: Card) -> str | None:
    """Wait, show the answer, and take the rating; None where the sitting ends."""
    question = card.asked
    assert not isinstance(question, Drawn)
    screen.print([[(screen.say("questions-reveal"), "dim")]])
    if _typed() != "":
        return None
    width = screen.width
    lines: list[Line] = [[], [(screen.say("questions-answer"), "bold")]]
    lines += [[(row, "")] for row in wrap(_flat(question.answer), width)]
    lines += [[], [(screen.say("questions-points"), "bold")]]
    for point in question.points:
        lines += [[("  " if at else "- ", ""), (row, "")]
                  for at, row in enumerate(wrap(point, width - 2))]  # fmt: skip
    trap = f"{screen.say('questions-trap')}{screen.say('colon')}{_flat(question.trap)}"
    source = screen.say("questions-source", source=_flat(question.source))
    lines += [[], *([(row, "")] for row in wrap(trap, width))]
    lines += [[(row, "dim")] for row in wrap(source, width)]
    screen.print(lines)
    while True:
        screen.print([[], [(screen.say("questions-rate"), "dim")]])
        said = _typed()
        if said in {"1", "2", "3", "4"}:
            return RATINGS[int(said) - 1]
        if said is None or said.lower().startswith("q"):
            return None


def _number(screen: Screen, drawn: Drawn) -> str | None:
    """Take a number and say whether it is right; None where the sitting ends."""
    prompt = "questions-exact" if drawn.question.exact else "questions-number"
    screen.print([[(screen.say(prompt), "dim")]])
    said = _typed()
    if said is None or said.lower().startswith("q"):
        return None
    right = drawn.fits(said)
    answer = drawn.worked(screen.language).rpartition(" = ")[2]
    key = "questions-right" if right else "questions-wrong"
    worked = screen.say("questions-worked", formula=drawn.worked(screen.language))
    why = drawn.question.why[screen.language]
    lines: list[Line] = [[(screen.say(key, answer=answer), "pass" if right else "fail")]]
    lines += [[(row, "")] for row in (*wrap(worked, screen.width), *wrap(why, screen.width))]
    screen.print(lines)
    return "good" if right else "again"


def _typed() -> str | None:
    """Return what was typed, without spaces around it; None where the input is at its end."""
    row = sys.stdin.readline()
    return row.strip() if row else None


def _flat(text: str) -> str:
    return " ".join(text.split())
