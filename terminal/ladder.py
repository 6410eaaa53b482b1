"""The list of katas, and how far one is with each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..kata.catalogue import GROUPS, Kata
from ..practice import clock
from ..practice.schedule import Standing
from .lists import next_lines
from .text import Line, Span, cells, pad, wrap
from .times import duration, in_days
from .words import say

__all__ = ["kata_lines", "onward_lines", "state_word", "times_words"]


def kata_lines(
    katas: Sequence[Kata], standing: Mapping[str, Standing], language: str, width: int
) -> list[Line]:
    """Draw the ladder: name, title and minutes, then the summary and how far one is."""
    lines: list[Line] = []
    room = max(len(kata.id) for kata in katas) + 2
    group = None
    for kata in sorted(katas, key=lambda kata: GROUPS.index(kata.group)):
        if kata.group != group:
            group = kata.group
            head = say(f"list-group-{group}", language)
            lines += [*([[]] if lines else []), *([(row, "bold")] for row in wrap(head, width))]
        minutes = say("list-minutes", language, minutes=kata.minutes)
        stand = standing.get(kata.id, Standing())
        style = "pass" if stand.state == "passed" else "dim"
        title, summary = (kata.title[language], "bold"), (kata.summary[language], "")
        lines += _edged(pad(kata.id, room), title, (minutes, "dim"), width)
        told = _progress(stand, language)
        if kata.lacking:
            told, style = say("list-lacking", language, name=kata.lacking), "dim"
        lines += _edged(" " * room, summary, (told, style), width)
    return lines


def onward_lines(
    katas: Sequence[Kata], standing: Mapping[str, Standing], language: str
) -> list[Line]:
    """Draw what to type next: for the first kata not passed, or after all of them."""
    for kata in katas:
        if standing.get(kata.id, Standing()).state != "passed" and not kata.lacking:
            return next_lines((f"attn-kata watch {kata.id}",), language)
    return next_lines(("attn-kata due", "attn-kata watch"), language)


def state_word(stand: Standing, language: str) -> str:
    """Say how far one is with a kata in a word; nothing where it is new."""
    return "" if stand.state == "new" else say(f"list-{stand.state}", language)


def times_words(stand: Standing, language: str) -> str:
    """Say how quick one was with a kata, and when it is due."""
    parts: list[str] = []
    if stand.best is not None:
        parts.append(say("best", language, time=duration(stand.best, language)))
    if stand.due is not None:
        when = in_days(stand.due, language)
        over = clock.day(stand.due) <= clock.day(clock.now())
        parts.append(say("overdue" if over else "due-on", language, when=when))
    return "  ".join(parts)


def _progress(stand: Standing, language: str) -> str:
    told = (state_word(stand, language), times_words(stand, language))
    return "  ".join(filter(None, told))


def _edged(head: str, told: Span, tail: Span, width: int) -> list[Line]:
    """Draw a text beside a head, and a tail at the right edge, for which the text makes room."""
    blank = " " * len(head)
    room = width - len(head)
    texts = wrap(told[0], room)
    beside = room - cells(tail[0]) - 2
    # No word is broken for it.
    if tail[0] and max(map(cells, told[0].split())) <= beside < cells(texts[-1]):
        texts = wrap(told[0], beside)
    rows = [(text, told[1]) for text in texts]
    lines: list[Line] = [[(blank if at else head, "" if at else "code"), row]
                         for at, row in enumerate(rows)]  # fmt: skip
    gap = width - len(head) - cells(rows[-1][0]) - cells(tail[0])
    if tail[0] and gap >= 2:
        lines[-1] += [(" " * gap, ""), tail]
    elif tail[0]:
        lines += [[(blank, ""), (row, tail[1])] for row in wrap(tail[0], width - len(head))]
    return lines
