"""All interviews in a list: each with its verdict and marks, and what has changed since."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timezone

from ...practice.interview.grades import DIMENSIONS
from ...practice.interview.result import Result
from ..lists import command_lines
from ..text import Line, cells, pad, wrap
from ..words import say

__all__ = ["past_lines"]


def past_lines(results: Sequence[Result], language: str, width: int) -> list[Line]:
    """Draw a row an interview, and below it how each dimension went over the last ones."""
    lines: list[Line] = []
    for one in results:
        day = datetime.fromtimestamp(one.wall, timezone.utc).date().isoformat()
        level = say(f"interview-level-{one.level}", language)
        verdict = say(f"grade-{one.grade}" if one.grade else "interview-practice-mark", language)
        told = f"{one.number:>3}  {day}  {one.plan}  {level}  {verdict}"
        lines += [[(row, "")] for row in wrap(told, width)]
    marked = [one for one in results if one.dimensions]
    if marked:
        lines += [[], [(say("past-marks", language), "bold")], *_marks(marked[-8:], language)]
    again = (f"attn-kata interview report {results[-1].number}", say("past-report", language))
    return [*lines, [], *command_lines([again], width)]


def _marks(results: Sequence[Result], language: str) -> list[Line]:
    names = [say(f"dimension-{name}", language) for name in DIMENSIONS]
    room = max(map(cells, names))
    head = "".join(f"{one.number:>4}" for one in results)
    lines: list[Line] = [[(f"  {pad('', room)}{head}", "dim")]]
    for at, name in enumerate(names):
        marks = [one.dimensions[at].mark for one in results]
        row = "".join(f"{mark or '–':>4}" for mark in marks)
        style = "pass" if marks[-1] > marks[0] else "fail" if 0 < marks[-1] < marks[0] else ""
        lines.append([(f"  {pad(name, room)}", ""), (row, style)])
    return lines
