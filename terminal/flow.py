"""The shape flow: every call with its line, the shape it gives and the step it reaches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..checker import Departure, Report, Step
from ..sentences.cells import short
from .folding import Loop, Row, folded
from .text import Line, cells, pad, safe, shape, wrap
from .words import in_words, say

__all__ = ["flow_lines"]

_AXES = (
    "batch", "heads", "length", "query_length", "key_length", "head_dim", "hidden_dim",
    "block_size",
)  # fmt: skip
_WIDE = 60
_LONGEST = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    """How wide the columns are. named: shapes by the names of their axes, else by numbers."""

    language: str
    width: int
    call: int
    shape: int
    named: bool


def flow_lines(report: Report, language: str, width: int) -> list[Line]:
    """Draw a report's trace."""
    if not report.trace:
        return [[(f"  {row}", "dim")] for row in wrap(say("trace-none", language), width - 2)]
    label, _, told = say("trace", language).partition("   ")
    first, *rest = wrap(told, width - 9)
    lines: list[Line] = [[(f"  {label}   {first}", "bold")]]
    lines += [[(f"         {row}", "bold")] for row in rest]
    sizes = ", ".join(f"{name} {size}" for name, size in _sizes(report.trace))
    legend = in_words(report.traced, language) or sizes
    lines += [[(f"         {row}", "dim")] for row in wrap(legend, width - 9)] if legend else []
    rows = folded(report.trace)
    table = _Table(
        language=language,
        width=width,
        call=min(max(cells(_call(row)) for row in _flat(rows)), _LONGEST),
        shape=max(cells(_shape(row.step, named=True)) for row in _flat(rows)),
        named=width >= _WIDE,
    )
    suspects = _suspects(_flat(rows))
    lines += [line for row in rows for line in _drawn(row, table, report, suspects, depth=0)]
    if report.departure is not None and not any(row.step.missed for row in _flat(rows)):
        lines += _departed(report.departure, language, width)
    return lines


def _drawn(
    row: Row | Loop, table: _Table, report: Report, suspects: set[int], *, depth: int
) -> list[Line]:
    if isinstance(row, Row):
        return _row(row, table, report, depth=depth, suspect=id(row) in suspects)
    found = sorted({one.step.line for one in _flat(row.body) if one.step.line is not None})
    first, last = (found[0], found[-1]) if found else (0, 0)
    key = "trace-loop" if first != last else "trace-loop-line"
    head = say(
        key, table.language, times=row.times, line=first, first=short(first), last=short(last)
    )
    lines: list[Line] = [[(f"  {'  ' * depth}{head}", "note")]]
    for one in row.body:
        lines += _drawn(one, table, report, suspects, depth=depth + 1)
    return lines


def _row(row: Row, table: _Table, report: Report, *, depth: int, suspect: bool) -> list[Line]:
    step = row.step
    mark = ">" if suspect else " "
    inside = "│ " * depth
    head = f"{mark} {short(step.line):>5}  {inside}"
    call = pad(_call(row), table.call)
    sizes = _shape(step, named=table.named)
    line: Line = [(head, "bold" if suspect else "dim"), (f"{call}  ", ""), (sizes, "")]
    ticks: Line = []
    if step.milestone:
        ticks.append((f"✓ {step.milestone}", "pass"))
    if step.missed:
        ticks.append((("  " if ticks else "") + f"× {step.missed}", "fail"))
    lines = [line]
    if ticks:
        used = cells(head) + cells(call) + 2
        column = used + (table.shape if table.named else cells(sizes)) + 2
        room = sum(cells(text) for text, _ in ticks)
        if column + room > table.width:
            column = used + cells(sizes) + 2
        if column + room <= table.width:
            line += [(" " * (column - used - cells(sizes)), ""), *ticks]
        else:
            lines.append([(" " * cells(head), ""), *ticks])
    if step.missed and report.departure is not None and report.departure.message:
        blank = " " * cells(head)
        told = in_words(report.departure.message, table.language)
        rows = wrap(told, max(20, table.width - cells(blank)))
        lines += [[(blank + text, "fail")] for text in rows]
    return lines


def _departed(departure: Departure, language: str, width: int) -> list[Line]:
    """Say what is never reached, where no row stands for it."""
    key = "trace-never-since" if departure.since else "trace-never"
    text = say(key, language, name=departure.milestone, line=departure.since)
    return [[(f"  {row}", "fail")] for row in wrap(f"× {text}", width - 2)]


def _call(row: Row) -> str:
    name = safe(row.step.call).strip("_") or row.step.call
    return f"{name} × {row.times}" if row.times > 1 else name


def _shape(step: Step, *, named: bool) -> str:
    several = f"{step.parts} × " if step.parts > 1 else ""
    if named and step.axes:
        return f"{several}({', '.join(step.axes)})"
    return several + shape(step.shape)


def _sizes(trace: Sequence[Step]) -> list[tuple[str, int]]:
    """The axes that the trace names, with their sizes."""
    found = {
        name: size
        for step in trace
        for name, size in zip(step.axes, step.shape, strict=False)
        if name in _AXES
    }
    return [(name, found[name]) for name in _AXES if name in found]


def _flat(rows: Sequence[Row | Loop]) -> list[Row]:
    found: list[Row] = []
    for row in rows:
        found += [row] if isinstance(row, Row) else _flat(row.body)
    return found


def _suspects(rows: Sequence[Row]) -> set[int]:
    """The rows since the last step that was reached, up to where the missing one should be."""
    at = next((number for number, row in enumerate(rows) if row.step.missed), None)
    if at is None:
        return set()
    start = at
    while start > 0 and rows[start - 1].step.milestone is None:
        start -= 1
    return {id(row) for row in rows[start : at + 1]}
