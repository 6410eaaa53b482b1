"""The statements and questions of each kata, for those who work on the project."""

from __future__ import annotations

from collections.abc import Sequence

from .screen import Screen
from .text import Line, pad

__all__ = ["statement_lines"]


def statement_lines(rows: Sequence[tuple[str, int, int, int, int]], screen: Screen) -> list[Line]:
    """Draw a line a folder, and the sums.

    A row is the folder's name, its sentences, the statements run, its questions and how many of
    these no plan asks.
    """
    told = [(name, counts) for name, *counts in rows]
    sums = [sum(column) for column in zip(*(counts for _, counts in told), strict=True)]
    return [
        *([(pad(name, 16), "bold"), (_told(counts, screen), "")] for name, counts in told),
        [],
        [(_told(sums, screen), "bold")],
    ]


def _told(counts: Sequence[int], screen: Screen) -> str:
    sentences, run, questions, missed = counts
    values = {"sentences": sentences, "run": run, "questions": questions, "missed": missed}
    return screen.say("statements-counted", **values)
