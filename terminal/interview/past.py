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


def past_lines(results: Sequence[Result], language: str, width: int, due: int = 0) -> list[Line]:
    """Draw a row an interview, and below it how each dimension went over the last ones.

    due: how many questions are to be asked again today.
    """
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
    number = results[-1].number
    onward = [(f"attn-kata interview report {number}", say("past-report", language))]
    if due:
        onward.insert(0, ("attn-kata questions", say("past-due", language, count=due)))
    return [*lines, [], *command_lines(onward, width)]


def _marks(results: Sequence[Result], language: str) -> list[Line]:
    names = [say(f"dimension-{name}", language) for name in DIMENSIONS]
    room = max(map(cells, names))
    head = "".join(f"{one.number:>4}" for one in results)
    lines: list[Line] = [[(f"  {pad('', room)}{head}", "dim")]]
    for at, name in enumerate(names):
        marks = [one.dimensions[at].mark for one in results]
        row = "".join(f"{mark or '–':>4}" for mark in marks)
        change = _change([mark for mark in marks if mark])
        style = "pass" if change > 0 else "fail" if change < 0 else ""
        told = f"   {change:+d}" if change else ""
        lines.append([(f"  {pad(name, room)}", ""), (f"{row}{told}", style)])
    return lines


def _change(marks: Sequence[int]) -> int:
    """By how much the last mark differs from the first; what was not called for has none."""
    return marks[-1] - marks[0] if marks else 0
