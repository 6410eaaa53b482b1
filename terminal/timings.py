"""Timings as a person reads them: a table of multiples, and how they grow, drawn small."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..checker import SIDES, Against, Row, Timings
from .text import Line, cells, pad, safe, wrap
from .words import in_words, say

__all__ = ["bars", "multiple", "size", "spread", "time", "timings_lines"]

_BARS = "▁▂▃▄▅▆▇█"
_GAP = "  "
# Columns beside a plot: the margin, two gaps, and what the last doubling multiplies by.
_ROOM = 4 + 2 + 2 + 5


def timings_lines(timings: Timings, language: str, width: int) -> list[Line]:
    """Draw what was timed, as much of it as a screen of this width has room for."""
    lines: list[Line] = [[(row, "bold")] for row in _wrapped(_what(timings, language), width)]
    against = "bench-fused" if timings.fused else "bench-no-fused"
    lines += [[(row, "dim")] for row in _wrapped(say(against, language), width)]
    if timings.rows:
        lines += [[], *_table(timings.rows, language, width)]
    lines += _end(timings, language, width)
    if len(timings.rows) > 1:
        lines += [[], *_growth(timings.rows, language, width)]
    told = say(f"bench-claim-{timings.device}", language)
    return [*lines, [], *([(row, "dim")] for row in _wrapped(told, width))]


def multiple(value: float | None) -> str:
    """Write a ratio with as many digits as such a measurement bears out."""
    return "–" if value is None else f"{_ratio(value)} ×"


def _ratio(value: float) -> str:
    return f"{value:.1f}" if value < 9.95 else f"{value:.0f}"


def spread(ratio: Against) -> str:
    """Write the quartiles of the rounds' ratios."""
    return f"({_ratio(ratio.low)}–{_ratio(ratio.high)})"


def time(seconds: float) -> str:
    """Write a time with two digits or three."""
    if seconds < 1:
        return f"{_digits(seconds * 1000)} ms"
    return f"{_digits(seconds)} s"


def size(count: int | None) -> str:
    """Write bytes as MB with two digits or three."""
    return "–" if count is None else f"{_digits(count / 1e6)} MB"


def _digits(value: float) -> str:
    return f"{value:.2f}" if value < 0.995 else f"{value:.1f}" if value < 9.95 else f"{value:.0f}"


def bars(values: Sequence[float | None], low: float, high: float, wide: int = 2) -> str:
    """Draw values on a logarithmic scale from low to high, a bar each so many columns wide."""
    span = math.log(high / low) or 1.0
    drawn = ""
    for value in values:
        if not value:
            drawn += "·" * wide
            continue
        step = round(math.log(max(low, min(high, value)) / low) / span * (len(_BARS) - 1))
        drawn += _BARS[step] * wide
    return drawn


def _what(timings: Timings, language: str) -> str:
    device = safe(timings.name or timings.device.upper())
    if timings.device == "cpu":
        device = say("bench-threads", language, count=timings.threads)
    comma = say("watch-comma", language)
    called = comma.join(f"`{safe(name)}`" for name in timings.functions)
    key = "bench-what-functions" if len(timings.functions) > 1 else "bench-what-function"
    what = say(key if called else "bench-what-class", language, names=called)
    if timings.whole:
        what += say("bench-whole", language)
    sizes = comma.join(f"{safe(name)} {size}" for name, size in timings.sizes.items())
    parts = {"what": what, "device": device, "dtype": timings.dtype, "sizes": sizes}
    text = say("bench-what", language, **parts)
    if timings.grows not in ([], ["length"]):
        text += say("bench-grows", language, names=comma.join(map(safe, timings.grows)))
    return text + (say("bench-masked", language) if timings.masked else "")


def _end(timings: Timings, language: str, width: int) -> list[Line]:
    """Say in the table's next row why there are no longer lengths."""
    if timings.stopped is None:
        return []
    text = in_words(timings.message, language) or say(f"bench-stopped-{timings.stopped}", language)
    if timings.line is not None:
        text = say("line", language, line=timings.line) + say("colon", language) + text
    room = max(cells(say("bench-length", language)), len(str(timings.at)))
    head = f"{_GAP}{pad(str(timings.at or ''), room, right=True)}{_GAP}"
    first, *others = wrap(text, width - cells(head))
    blank = " " * cells(head)
    return [[(head, ""), (first, "note")], *([(blank + row, "note")] for row in others)]


@dataclass(frozen=True, slots=True)
class _Column:
    """group: whose it is. rank: what goes first where there is no room, the highest."""

    group: str
    title: str
    rank: int
    cell: Callable[[Row], str]


_COLUMNS = (
    _Column("", "bench-length", 0, lambda row: str(row.length)),
    _Column("yours", "bench-time", 4, lambda row: time(row.sides["yours"].seconds)),
    _Column("yours", "bench-memory", 5, lambda row: size(row.sides["yours"].bytes)),
    _Column("reference", "bench-time", 3, lambda row: multiple(row.against["reference"].time)),
    _Column("reference", "bench-quartiles", 6, lambda row: spread(row.against["reference"])),
    _Column("reference", "bench-memory", 3, lambda row: multiple(row.against["reference"].memory)),
    _Column("fused", "bench-time", 0, lambda row: multiple(row.against["fused"].time)),
    _Column("fused", "bench-quartiles", 6, lambda row: spread(row.against["fused"])),
    _Column("fused", "bench-memory", 0, lambda row: multiple(row.against["fused"].memory)),
)


def _table(rows: Sequence[Row], language: str, width: int) -> list[Line]:
    """Draw the multiples; on a narrow screen their spread goes first, then what is absolute."""
    there = {"", *rows[0].sides}
    kept = [column for column in _COLUMNS if column.group in there]
    lines = _laid_out(kept, rows, language)
    while max(sum(cells(text) for text, _ in line) for line in lines) > width and len(kept) > 3:
        worst = max(column.rank for column in kept)
        kept = [column for column in kept if column.rank != worst]
        lines = _laid_out(kept, rows, language)
    return lines


def _laid_out(kept: Sequence[_Column], rows: Sequence[Row], language: str) -> list[Line]:
    titles = [say(column.title, language) for column in kept]
    body = [[column.cell(row) for column in kept] for row in rows]
    wide = [max(cells(line[at]) for line in [titles, *body]) for at in range(len(kept))]
    head: Line = []
    for group in dict.fromkeys(column.group for column in kept):
        places = [at for at, column in enumerate(kept) if column.group == group]
        name = say(f"bench-of-{group}", language) if group else ""
        room = sum(wide[at] + 1 for at in places) - 1
        # A group is at least as wide as its name.
        wide[places[0]] += max(0, cells(name) - room)
        head.append((_GAP + pad(name, max(room, cells(name)), right=True), "dim"))
    return [
        head,
        [(_placed(titles, kept, wide), "dim")],
        *([(_placed(line, kept, wide), "")] for line in body),
    ]


def _placed(texts: Sequence[str], kept: Sequence[_Column], wide: Sequence[int]) -> str:
    placed = ""
    for at, (text, column) in enumerate(zip(texts, kept, strict=True)):
        placed += _GAP if at == 0 or column.group != kept[at - 1].group else " "
        # The spread stands close to what it is the spread of.
        placed += pad(text, wide[at], right=column.title != "bench-quartiles")
    return placed


def _growth(rows: Sequence[Row], language: str, width: int) -> list[Line]:
    """Draw how memory and time grow, side beside side, each on one scale."""
    lines: list[Line] = []
    sides = [side for side in SIDES if side in rows[0].sides]
    names = [say(f"bench-side-{side}", language) for side in sides]
    room = max(cells(name) for name in names)
    # A narrow screen has thinner bars, closer to their names.
    thick = _ROOM + room + 2 * len(rows) <= width
    dent, gap, wide = ("    ", _GAP, 2) if thick else (_GAP, " ", 1)
    for what in ("memory", "seconds"):
        table = {side: [_value(row, side, what) for row in rows] for side in sides}
        known = [value for values in table.values() for value in values if value]
        if not known:
            continue
        title = say(f"bench-growth-{what}", language, first=rows[0].length, last=rows[-1].length)
        lines += [[(row, "")] for row in _wrapped(title, width)]
        for side, name in zip(sides, names, strict=True):
            drawn = bars(table[side], min(known), max(known), wide)
            head, doubled = f"{dent}{pad(name, room)}{gap}", _doubled(table[side])
            lines.append([(head, ""), (drawn, "code"), (f"{gap}{doubled}", "")])
    return lines


def _value(row: Row, side: str, what: str) -> float | None:
    lap = row.sides[side]
    return lap.bytes if what == "memory" else lap.seconds


def _doubled(values: Sequence[float | None]) -> str:
    """Say by what the last doubling of the length multiplies."""
    before, last = values[-2:]
    return f"× {_ratio(last / before)}" if before and last else "–"


def _wrapped(text: str, width: int) -> list[str]:
    return [f"  {row}" for row in wrap(text, width - 2)] if text else []
