"""A lesson on the screen: its text, its steps with what they print, its picture in shades."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from ..kata.lessons import Lesson, Part, Plot, Step
from .brief import markdown_lines
from .heat import STEPS
from .picture import Box, Letters, Picture
from .screen import Screen
from .shades import COLOURS, DARK
from .text import Line, cells, cut, pad

__all__ = ["composed", "lesson_lines", "play", "step_lines"]

_SHADES = " ░░▒▒▓▓██"
_CELL, _MARGIN, _LABEL = 64, 24, 96


def lesson_lines(lesson: Lesson, width: int, *, colour: bool) -> list[Line]:
    """Draw a whole lesson."""
    blocks = [_part_lines(part, width, colour=colour) for part in lesson.parts]
    return list(chain.from_iterable([*block, []] for block in blocks))[:-1]


def play(screen: Screen, lesson: Lesson, outputs: Iterator[str], *, waits: bool) -> None:
    """Show a lesson part by part while its steps run. waits: whether Enter asks for the next."""
    from .home import entered

    for part in lesson.parts:
        if isinstance(part, Step):
            screen.print(step_lines(Step(code=part.code, output=""), screen.width))
            screen.print([*_output_lines(next(outputs, ""), screen.width), []])
            if waits and part is not lesson.steps[-1]:
                screen.tell([[(screen.say("learn-enter"), "dim")]])
                if not entered(screen):
                    return
        else:
            screen.print([*_part_lines(part, screen.width, colour=screen.colour), []])


def step_lines(step: Step, width: int) -> list[Line]:
    """Draw a step's code, and what it prints."""
    code: list[Line] = [[(f"    {row}" if row else "", "code")] for row in step.code.split("\n")]
    return [*code, *_output_lines(step.output, width)]


def _part_lines(part: Part, width: int, *, colour: bool) -> list[Line]:
    if isinstance(part, Step):
        return step_lines(part, width)
    if isinstance(part, Plot):
        return _plot_lines(part, width, colour=colour)
    return markdown_lines(part.replace("**", ""), width)


def _output_lines(output: str, width: int) -> list[Line]:
    rows = output.split("\n") if output else []
    return [[("    │ ", "dim"), (cut(row, width - 6), "")] for row in rows]


def _plot_lines(plot: Plot, width: int, *, colour: bool) -> list[Line]:
    """Draw the numbers in a grid; the shade, or the background, says how large each is."""
    label = max(map(cells, plot.rows)) + 2
    numbers = [[_number(value) for value in row] for row in plot.values]
    room = max(cells(text) for text in (*chain.from_iterable(numbers), *plot.columns)) + 2
    across = max(1, (width - 4 - label) // room)
    lines: list[Line] = []
    for start in range(0, len(plot.columns), across):
        names = plot.columns[start : start + across]
        lines.append([(" " * (4 + label), ""), *((pad(f" {one}", room), "dim") for one in names)])
        for name, row, values in zip(plot.rows, numbers, plot.values, strict=True):
            line: Line = [(f"    {pad(name, label)}", "dim")]
            shown = zip(row[start : start + across], values[start : start + across], strict=True)
            line += [_cell(text, _level(value, plot), room, colour=colour) for text, value in shown]
            lines.append(line)
    return lines


def _cell(text: str, shade: int, room: int, *, colour: bool) -> tuple[str, str]:
    if colour:
        return pad(f" {text}", room), f"heat{shade}"
    return pad(f"{_SHADES[shade]}{text}", room), ""


def _level(value: float, plot: Plot) -> int:
    """Return the shade of a number, 0 to STEPS - 1, by its place between smallest and largest."""
    least, most = _range(plot)
    share = (value - least) / (most - least) if most > least else 0.0
    return min(STEPS - 1, int(share * STEPS))


def _range(plot: Plot) -> tuple[float, float]:
    every = list(chain.from_iterable(plot.values))
    return min(0.0, *every), max(every)


def _number(value: float) -> str:
    return f"{value:.0f}" if value.is_integer() else f"{value:.2f}"


def composed(plot: Plot, title: str) -> Picture:
    """Lay the picture of a lesson out, to be written as SVG."""
    picture = Picture(
        width=max(480, 2 * _MARGIN + _LABEL + len(plot.columns) * _CELL),
        height=2 * _MARGIN + 56 + len(plot.rows) * _CELL,
    )
    picture.letters.append(Letters(x=_MARGIN, y=_MARGIN + 8, text=title, size=16, anchor="start"))
    left, top = _MARGIN + _LABEL, _MARGIN + 56
    for column, name in enumerate(plot.columns):
        x = left + column * _CELL + _CELL // 2
        picture.letters.append(Letters(x=x, y=top - 12, text=name, size=11))
    for row, (name, values) in enumerate(zip(plot.rows, plot.values, strict=True)):
        y = top + row * _CELL
        picture.letters.append(
            Letters(x=_MARGIN, y=y + _CELL // 2, text=name, size=12, anchor="start")
        )
        _row(picture, values, plot, (left, y))
    return picture


def _row(picture: Picture, values: Sequence[float], plot: Plot, corner: tuple[int, int]) -> None:
    left, y = corner
    for column, value in enumerate(values):
        shade = _level(value, plot)
        x = left + column * _CELL
        side = _CELL - 2
        picture.boxes.append(Box(x=x, y=y, width=side, height=side, fill=COLOURS[shade]))
        ink = "#1f2328" if shade >= DARK else "#ffffff"
        middle = (x + _CELL // 2 - 1, y + _CELL // 2 - 1)
        picture.letters.append(
            Letters(x=middle[0], y=middle[1], text=_number(value), size=13, fill=ink)
        )
