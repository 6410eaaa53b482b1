"""What a submission printed, call by call, and no more of it than can be read."""

from __future__ import annotations

from ..checker import Report
from .text import Line, safe, wrap
from .words import say

__all__ = ["printed_lines"]

_CALLS = 5
_ROWS = 12


def printed_lines(report: Report, language: str, width: int) -> list[Line]:
    """Draw the output of the first calls that printed, a rule between two of them."""
    calls = _calls(report)
    lines: list[Line] = [[(f"  {say('printed', language)}", "note")]]
    for place, rows in enumerate(calls[:_CALLS]):
        lines += [[("    ├──", "dim")]] if place else []
        lines += [[("    │ ", "dim"), (safe(row.expandtabs(4)), "")] for row in rows[:_ROWS]]
        if len(rows) > _ROWS:
            more = say("printed-more-rows", language, count=len(rows) - _ROWS)
            lines.append([(f"    │ {more}", "dim")])
    if len(calls) > _CALLS:
        more = wrap(say("printed-more-calls", language), width - 4)
        lines += [[(f"    {row}", "dim")] for row in more]
    return lines


def _calls(report: Report) -> list[list[str]]:
    """The lines that were printed, those of one call together; what loading printed is first."""
    ends = [*report.printed_from, len(report.printed)]
    starts = [0, *report.printed_from]
    pieces = (report.printed[start:end] for start, end in zip(starts, ends, strict=True))
    return [piece.splitlines() for piece in pieces if piece]
