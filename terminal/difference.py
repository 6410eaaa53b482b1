"""Where the numbers differ: the worst place, a slice of both sides, or two shapes."""

from __future__ import annotations

import math

from ..checker import Difference, Report
from .text import Line, cells, number, pad, safe, shape, wrap, written
from .words import in_words, say

__all__ = ["difference_lines", "shape_told"]

_ROWS = 3
_COLUMNS = 4


def difference_lines(
    difference: Difference, language: str, width: int, *, told: bool = False, part: bool = False
) -> list[Line]:
    """Draw a difference: shapes where they differ, else numbers.

    told: the case is named elsewhere on the screen. part: whether it is said which part is wrong.
    """
    if difference.actual_shape != difference.expected_shape and difference.actual_shape:
        return _shapes(difference, language, width)
    lines = _numbers(difference, language, width, told=told)
    where = in_words(difference.where, language) if part and difference.where else ""
    return lines + [[(f"    {row}", "")] for row in wrap(where, width - 4) if where]


def shape_told(report: Report, language: str) -> str:
    """Say of which shape the output is, where no step before it differs; else nothing."""
    found, departure = report.difference, report.departure
    if found is None or departure is None or departure.milestone != "output":
        return ""
    if found.name or found.gradient or found.actual_shape == found.expected_shape:
        return ""
    sides = {"mine": shape(found.actual_shape), "wanted": shape(found.expected_shape)}
    return say("departs-shape", language, **sides)


def _shapes(difference: Difference, language: str, width: int) -> list[Line]:
    head = say("shapes-differ", language, case=in_words(difference.case, language))
    lines: list[Line] = [[(f"  {row}", "")] for row in wrap(head, width - 2)]
    sides = (
        (say("yours", language), difference.actual_shape, "wrong"),
        (say("expected", language), difference.expected_shape, "right"),
    )
    label = max(cells(name) for name, _, _ in sides)
    axes = difference.axes
    ranks = {len(sizes) for _, sizes, _ in sides}
    if ranks != {len(axes)} or width < label + 8 + sum(len(axis) + 3 for axis in axes):
        return lines + [
            [(f"    {pad(name, label)}  ", ""), (shape(sizes), style)]
            for name, sizes, style in sides
        ]
    room = [max(len(axis), 4) for axis in axes]
    names = "".join(
        f"  {pad(axis, size, right=True)}" for axis, size in zip(axes, room, strict=True)
    )
    lines.append([(f"    {' ' * label} {names}", "dim")])
    other = list(zip(difference.actual_shape, difference.expected_shape, strict=True))
    for name, sizes, style in sides:
        row: Line = [(f"    {pad(name, label)} ", "")]
        for size, space, (one, two) in zip(sizes, room, other, strict=True):
            row.append((f"  {size:>{space}}", style if one != two else ""))
        lines.append(row)
    return lines


def _numbers(difference: Difference, language: str, width: int, *, told: bool) -> list[Line]:
    head = say("case-differs", language, case=in_words(difference.case, language))
    lines: list[Line] = [[(f"  {row}", "")] for row in ([] if told else wrap(head, width - 2))]
    lines += _worst(difference, language, width)
    if difference.expected and difference.actual:
        lines += _slices(difference, language, width)
    return lines


def _worst(difference: Difference, language: str, width: int) -> list[Line]:
    pair = _pair(difference)
    allowed = f" ± {number(difference.tolerance)}" if difference.tolerance is not None else ""
    place = say("at", language, place=shape(difference.at)) if difference.at else ""
    if difference.name:
        key = "at-gradient" if difference.gradient else "at-result"
        place = say(key, language, name=safe(difference.name), place=place)
    if pair is None:
        if difference.max_abs is None:
            return []
        off = say("off-by", language, off=number(difference.max_abs)) + allowed
        return [[(f"    {place}   {off}", "")]]
    mine, theirs = pair
    row: Line = [
        (f"    {place}   {say('yours', language)} ", ""), (number(mine), "wrong"),
        (f"   {say('expected', language)} ", ""), (number(theirs), "right"), (allowed, "dim"),
    ]  # fmt: skip
    if sum(cells(text) for text, _ in row) <= width:
        return [row]
    return [
        [(f"    {place}", "")],
        [(f"    {say('yours', language)} ", ""), (number(mine), "wrong")],
        [(f"    {say('expected', language)} ", ""), (number(theirs), "right"), (allowed, "dim")],
    ]


def _pair(difference: Difference) -> tuple[float, float] | None:
    """The two numbers at the worst place; of an older report where the slice holds it."""
    if len(difference.pair) == 2:
        return difference.pair[0], difference.pair[1]
    if len(difference.at) < 2 or not difference.expected:
        return None
    row, column = difference.at[-2:]
    try:
        return difference.actual[row][column], difference.expected[row][column]
    except IndexError:
        return None


def _slices(difference: Difference, language: str, width: int) -> list[Line]:
    rows = min(_ROWS, len(difference.expected))
    across = min(len(difference.expected[0]), len(difference.actual[0])) if rows else 0
    room = max((len(number(v)) for v in _flat(difference)), default=4) + 1
    counts = {"wrong": difference.wrong, "total": difference.total}
    title = say("yours-table", language, **counts)
    # Two tables of so many columns, each cell after a space, and what stands between.
    fitting = (width - 9) // (2 * (room + 1)), (width - 9 - cells(title)) // (room + 1)
    columns = min(_COLUMNS, across, *fitting)
    if columns < 1:
        return []
    side = max(columns * (room + 1), cells(title))
    lines: list[Line] = [[(f"    {pad(title, side)}  │ {say('expected', language)}", "dim")]]
    for at in range(rows):
        left, right = difference.actual[at][:columns], difference.expected[at][:columns]
        row: Line = [("    " + " " * (side - columns * (room + 1)), "")]
        row += [_cell(a, e, difference.tolerance, room) for a, e in zip(left, right, strict=True)]
        row.append(("  │ ", "dim"))
        row += [(pad(number(value), room, right=True) + " ", "") for value in right[:-1]]
        lines.append([*row, (pad(number(right[-1]), room, right=True), "")])
    shown = rows * columns
    some = f"  {say('first-cells', language)}"
    if shown < len(difference.expected) * across and cells(written(lines[0]) + some) <= width:
        lines[0].append((some, "dim"))
    return lines


def _flat(difference: Difference) -> list[float]:
    sides = (*difference.expected[:_ROWS], *difference.actual[:_ROWS])
    return [value for row in sides for value in row[:_COLUMNS]]


def _cell(mine: float, theirs: float, tolerance: float | None, room: int) -> tuple[str, str]:
    if _same(mine, theirs, tolerance):
        return f"{pad(number(mine), room, right=True)} ", ""
    return pad(number(mine), room, right=True) + "*", "wrong"


def _same(mine: float, theirs: float, tolerance: float | None) -> bool:
    if not (math.isfinite(mine) and math.isfinite(theirs)):
        return mine == theirs or (math.isnan(mine) and math.isnan(theirs))
    return abs(mine - theirs) <= (tolerance or 0.0)
