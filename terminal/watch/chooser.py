"""The list to choose a kata from: one is marked, and what is typed leaves those that fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...kata.catalogue import GROUPS, Kata, katas
from ...practice.schedule import Standing
from ..ladder import state_word, times_words
from ..text import Line, cells, cut, pad, wrap
from ..words import say

__all__ = ["Chooser"]

_NEW = Standing()


class Chooser:
    """A list of katas. chosen: the one that is marked; None where none fits."""

    def __init__(self) -> None:
        self.wanted = ""
        self.chosen: Kata | None = None

    def open(self, kata: Kata) -> None:
        """Show all, with a kata marked."""
        self.wanted, self.chosen = "", kata

    @property
    def found(self) -> list[Kata]:
        """The katas that fit what was typed, those of a group together."""
        parts = self.wanted.casefold().split()
        listed = sorted(katas(), key=lambda kata: GROUPS.index(kata.group))
        return [kata for kata in listed if all(part in _text(kata) for part in parts)]

    def narrow(self, wanted: str) -> None:
        """Leave the katas that hold all the words; mark the one whose name fits best."""
        self.wanted = wanted
        found, name = self.found, wanted.strip().casefold()
        if self.chosen in found and not name:
            return
        named = sorted(found, key=lambda kata: (kata.id != name, not kata.id.startswith(name)))
        self.chosen = named[0] if named else None

    def move(self, steps: int) -> None:
        """Mark another one, so many further on; none beyond the first and the last."""
        found = self.found
        if self.chosen is not None and found:
            place = found.index(self.chosen) + steps
            self.chosen = found[max(0, min(place, len(found) - 1))]

    def lines(
        self, standing: Mapping[str, Standing], language: str, width: int
    ) -> tuple[list[Line], range]:
        """Draw the list, and say which of its lines are the marked kata's."""
        found = self.found
        if not found:
            return [[(say("watch-none", language, wanted=self.wanted), "bold")]], range(1)
        room = max(len(kata.id) for kata in katas()) + 2
        lines: list[Line] = []
        marked = range(0)
        group = None
        for kata in found:
            if kata.group != group:
                group = kata.group
                head = say(f"list-group-{group}", language)
                lines += [*([[]] if lines else []), [(cut(head, width), "bold")]]
            start = len(lines)
            here = kata is self.chosen
            stand = standing.get(kata.id, _NEW)
            lines.append(_row(kata, stand, language, width, room, here=here))
            if here:
                lines += _details(kata, stand, language, width, room + 2)
                marked = range(start, len(lines))
        return lines, marked


def _row(
    kata: Kata, stand: Standing, language: str, width: int, room: int, *, here: bool
) -> Line:  # fmt: skip
    state = state_word(stand, language)
    title = cut(kata.title[language], max(4, width - room - 4 - cells(state)))
    gap = width - 2 - room - cells(title) - cells(state)
    style = "bold" if here else ""
    return [
        ("> " if here else "  ", "code"), (pad(kata.id, room), "code"), (title, style),
        (" " * gap, ""), (state, "pass" if stand.state == "passed" else "dim"),
    ]  # fmt: skip


def _details(kata: Kata, stand: Standing, language: str, width: int, dent: int) -> list[Line]:
    """Draw what is worth knowing of the marked kata: what it is about, its minutes, when due."""
    minutes = say("list-minutes", language, minutes=kata.minutes)
    times = "  ".join(filter(None, (minutes, times_words(stand, language))))
    told = (kata.summary[language], times)
    rows = [row for text in told for row in wrap(text, max(12, width - dent))]
    return [[(" " * dent + row, "dim")] for row in rows]


def _text(kata: Kata) -> str:
    """What a kata can be found by."""
    texts: Sequence[str] = (kata.id, *kata.title.values(), *kata.summary.values())
    return " ".join(texts).casefold()
