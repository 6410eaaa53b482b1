"""A sequence that grows token by token, drawn with the look-ahead mask and without."""

from __future__ import annotations

import time
from collections.abc import Sequence

from ..practice.decoding import Row, Stage
from .lists import next_lines
from .screen import Screen
from .text import Line, cells, pad, wrap
from .words import say

__all__ = ["conclusion_lines", "play", "stage_lines"]

_PAUSE = 1.2
_GAP = 2
_DIGITS = 6


def play(screen: Screen, stages: Sequence[Stage], kata: str) -> None:
    """Show one stage after the other: in place on a terminal, below each other elsewhere."""
    language, width = screen.language, screen.width
    screen.print([*_head(kata, language, width), []])
    frames = [stage_lines(stage, len(stages), language, width) for stage in stages]
    if screen.out.is_terminal and not screen.out.is_dumb_terminal:
        _animate(screen, frames)
    else:
        for frame in frames:
            screen.print([*frame, []])
    screen.print(conclusion_lines(stages, language, width))
    screen.print([[], *next_lines((f"attn-kata watch {kata}",), language)])


def _animate(screen: Screen, frames: Sequence[Sequence[Line]]) -> None:
    from rich.console import Group
    from rich.live import Live

    tallest = max(map(len, frames))
    with Live(console=screen.out, auto_refresh=False) as live:
        for number, frame in enumerate(frames):
            # Of one height, so that nothing below jumps.
            filled = [*frame, *([[]] * (tallest - len(frame)))]
            live.update(Group(*screen.drawn(filled)), refresh=True)
            if number + 1 < len(frames):
                time.sleep(_PAUSE)
    screen.print([[]])


def stage_lines(stage: Stage, length: int, language: str, width: int) -> list[Line]:
    """Draw one prefix: its tokens, and below them its rows on both sides."""
    tokens = say("live-tokens", language).split()
    count = len(stage.masked)
    fed = " ".join(tokens[:count])
    key = "live-whole" if count == length else "live-prefix"
    told: Line = [(f"  {say(key, language, count=count, length=length)}", "dim")]
    text: Line = [(f"  {fed}", "bold")]
    beside = _size(told) + _size(text) <= width
    lines: list[Line] = [[*told, *text], []] if beside else [told, text, []]
    left = _side("live-masked", stage.masked, tokens, language)
    right = _side("live-open", stage.opened, tokens, language)
    room = max(map(_size, left))
    if 2 + room + _GAP + max(map(_size, right)) > width:
        return [*lines, *(_indented(line) for line in [*left, [], *right])]
    for mine, other in zip(left, right, strict=True):
        lines.append(_indented([*mine, (" " * (room - _size(mine) + _GAP), ""), *other]))
    return lines


def _side(key: str, rows: Sequence[Row], tokens: Sequence[str], language: str) -> list[Line]:
    name = max(map(cells, tokens))
    lines: list[Line] = [[(say(key, language), "bold")]]
    for token, row in zip(tokens, rows, strict=False):
        style = "wrong" if row.changed else ""
        lines.append([
            (pad(token, name + 1), "dim"),
            ("".join(f"{value:>{_DIGITS}.2f}" for value in row.values), style),
            *_said(row, language),
        ])  # fmt: skip
    return lines


def _said(row: Row, language: str) -> Line:
    if row.moved is None:
        return [(f"  {say('live-new', language)}", "code")]
    if row.changed:
        return [(f"  {say('live-moved', language, by=f'{row.moved:.2f}')}", "wrong")]
    return [(f"  {say('live-same', language)}", "right")]


def conclusion_lines(stages: Sequence[Stage], language: str, width: int) -> list[Line]:
    """Say what was to be seen, by the rows that were counted."""
    lines: list[Line] = []
    for key, sides in (
        ("live-end-masked", [stage.masked for stage in stages]),
        ("live-end-open", [stage.opened for stage in stages]),
    ):
        seen = [row for side in sides for row in side if row.moved is not None]
        changed = sum(row.changed for row in seen)
        text = say(key, language, changed=changed, seen=len(seen))
        lines += [[(f"  {row}", "")] for row in wrap(text, width - 2)]
    lines.append([])
    text = say("live-end-why", language)
    return [*lines, *([(f"  {row}", "dim")] for row in wrap(text, width - 2))]


def _head(kata: str, language: str, width: int) -> list[Line]:
    text = say("live-title", language)
    rows = wrap(text, width - 2)
    return [[(kata, "bold")], *([(f"  {row}", "")] for row in rows)]


def _indented(line: Line) -> Line:
    return [("  ", ""), *line]


def _size(line: Line) -> int:
    return sum(cells(text) for text, _ in line)
