"""Attention weights as a grid: the submission's beside those expected, head by head."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..checker import Heat, Report
from ..kata.catalogue import find
from .shades import COLOURS
from .text import Line, cells, pad, wrap
from .words import in_words, say

__all__ = ["STEPS", "differs", "heat_lines", "level", "no_heat", "weight"]

STEPS = len(COLOURS)
_SHADES = " ░░▒▒▓▓██"
_CELL = 5
_DIGITS = 3
_HEADS = 4
_CLOSE = 1e-4

Grid = Sequence[Sequence[float]]


def level(value: float) -> int:
    """Return the shade of a weight, 0 to STEPS - 1; a weight that is none has the last."""
    if not math.isfinite(value):
        return STEPS - 1
    return min(STEPS - 1, max(0, math.floor(value * STEPS)))


def weight(value: float) -> str:
    """Write a weight in three columns: .25, 1.0, -.3, nan."""
    if math.isnan(value):
        return "nan"
    if abs(value) > 999:
        return " ∞ " if value > 0 else "-∞ "
    for digits in (2, 1, 0):
        text = f"{value:.{digits}f}"
        text = text.replace("0.", ".", 1) if abs(value) < 1 else text
        if len(text) <= _DIGITS and text.strip("-.0"):
            return pad(text, _DIGITS, right=True)
    return ".00" if abs(value) < 1 else f"{value:.0f}"[:_DIGITS]


def differs(mine: float, theirs: float) -> bool:
    """Whether two weights are not the same."""
    if not (math.isfinite(mine) and math.isfinite(theirs)):
        return not (math.isnan(mine) and math.isnan(theirs)) and mine != theirs
    return abs(mine - theirs) > _CLOSE


def no_heat(kata: str, language: str) -> str:
    """Say why a report of this kata has no weights."""
    weightless = find(kata).no_weights
    return say("heat-none", language) if weightless is None else weightless[language]


def heat_lines(report: Report, language: str, width: int, *, colour: bool) -> list[Line]:
    """Draw the weights. colour: shade by background, else by characters beside the numbers."""
    heat = report.heat
    if heat is None:
        return [[(f"  {row}", "dim")] for row in wrap(no_heat(report.kata, language), width - 2)]
    lines: list[Line] = []
    title = say("heat-title", language, case=in_words(heat.case, language))
    lines += [[(f"  {row}", "bold")] for row in wrap(title, width - 2)]
    lines += [[(f"  {row}", "dim")] for row in wrap(_told(heat, language), width - 2)]
    for head in range(min(len(heat.expected), _HEADS)):
        lines += _head(heat, head, language, width, colour=colour)
    more = len(heat.expected) - _HEADS
    if more > 0:
        text = say("heat-more", language, count=more)
        lines += [[(f"  {row}", "dim")] for row in wrap(text, width - 2)]
    legend = say("heat-legend", language)
    return [*lines, *([(f"  {row}", "dim")] for row in wrap(legend, width - 2))]


def _told(heat: Heat, language: str) -> str:
    if not heat.actual:
        return say("heat-unseen", language)
    key = "heat-line" if heat.line else "heat-no-line"
    return say(key, language, line=heat.line)


def _head(heat: Heat, head: int, language: str, width: int, *, colour: bool) -> list[Line]:
    expected, masked = heat.expected[head], heat.masked[head]
    mine = heat.actual[head] if head < len(heat.actual) else []
    across = len(expected[0]) * _CELL
    label = 5
    beside = not mine or width >= label + 2 * across + 5
    named = say("heat-head", language, head=head) if len(heat.expected) > 1 else ""
    right = _rows(expected, expected, masked, colour=colour, marked=False)
    if not mine:
        head_line: Line = [(f"  {pad(named, 8)}", "bold"), (say("expected", language), "dim")]
        return [[], head_line, *_labelled(right, label)]
    left = _rows(mine, expected, masked, colour=colour, marked=True)
    if beside:
        yours = pad(say("yours", language), across + 3)
        start = pad(f" {named}", label) if cells(named) < label - 1 else ""
        top: Line = [
            (start or " " * label, "bold"),
            (yours, "dim"),
            (say("expected", language), "dim"),
        ]
        rows = [[*one, (" │ ", "dim"), *two] for one, two in zip(left, right, strict=True)]
        title: list[Line] = [[(f"  {named}", "bold")]] if named and not start else []
        return [[], *title, top, *_labelled(rows, label)]
    first: Line = [(f"  {named}  " if named else "  ", "bold"), (say("yours", language), "dim")]
    second: Line = [("  ", ""), (say("expected", language), "dim")]
    return [[], first, *_labelled(left, label), second, *_labelled(right, label)]


def _labelled(rows: Sequence[Line], label: int) -> list[Line]:
    return [[(pad(f"q{at} ", label, right=True), "dim"), *row] for at, row in enumerate(rows)]


def _rows(
    grid: Grid, expected: Grid, masked: Sequence[Sequence[bool]], *, colour: bool, marked: bool
) -> list[Line]:
    found: list[Line] = []
    for row, right, hidden in zip(grid, expected, masked, strict=False):
        cells_: Line = []
        for value, wanted, shut in zip(row, right, hidden, strict=False):
            wrong = marked and differs(value, wanted)
            text = " × " if shut and value == 0 else weight(value)
            shade = " " if colour else _SHADES[level(value)]
            style = f"heat{level(value)}" if colour and not (shut and value == 0) else ""
            cells_.append((f"{shade}{text}{'*' if wrong else ' '}", style))
        found.append(cells_)
    return found
