"""The watch screen's measures: a view cut to the rows there are, and the foot below it."""

from __future__ import annotations

from collections.abc import Sequence

from ..text import Line, cells, cut, wrap
from ..words import say

__all__ = ["foot_lines", "framed", "key_line"]

# A page keeps so many lines of the one before it in sight.
_OVERLAP = 2


def framed(
    body: Sequence[Line], room: int, offset: int, language: str
) -> tuple[list[Line], int, int]:
    """Cut a view to so many rows, from a line on.

    Return the rows, the line that they begin with, and how many lines a page moves by. A view
    that is longer ends in a row that says so.
    """
    if len(body) <= room:
        return list(body), 0, 0
    shown = max(1, room - 1)
    start = max(0, min(offset, len(body) - shown))
    below = len(body) - start - shown
    more = say("watch-more", language, count=below) if below else say("watch-end", language)
    rows = [*body[start : start + shown], [(more, "dim")]]
    return rows[:room], start, max(1, shown - _OVERLAP)


def foot_lines(
    notes: Sequence[str],
    status: str,
    keys: Sequence[tuple[str, str]],
    *,
    width: int,
    height: int,
) -> list[Line]:
    """Draw what stands below every view: what went wrong, what was judged, the keys that work.

    It takes a third of the screen at most: keys and status come down to a row each before the
    notes are cut.
    """
    most = max(2, height // 3)
    told: list[Line] = [[(row, "dim")] for row in wrap(status, width)] if status else []
    named = key_line(keys, width)
    if 1 + len(told) + len(named) > most:
        told = [[(cut(status, width), "dim")]] if status else []
        named = _one_row(keys, width)
    noted: list[Line] = [[(row, "note")] for text in notes for row in wrap(text, width)]
    room = max(0, most - len(told) - len(named) - 1)
    return [[], *noted[:room], *told, *named][-max(1, height // 2) :]


def key_line(keys: Sequence[tuple[str, str]], width: int) -> list[Line]:
    """Draw the keys that work, each before its word, as many on a line as have room."""
    lines: list[Line] = [[]]
    used = 0
    for key, word in keys:
        size = cells(f"{key} {word}")
        if used and used + 3 + size > width:
            lines.append([])
            used = 0
        lines[-1] += [("   " if used else "", ""), (key, "code"), (f" {word}", "dim")]
        used += size + (3 if used else 0)
    return lines


def _one_row(keys: Sequence[tuple[str, str]], width: int) -> list[Line]:
    """Draw as many keys as one row has room for; the last two, which show all and leave, always."""
    some, kept = list(keys[:-2]), keys[-2:]
    while some and len(key_line([*some, *kept], width)) > 1:
        some.pop()
    return key_line([*some, *kept], width)[:1]
