"""What is said in an interview, drawn as lines."""

from __future__ import annotations

import math
from collections.abc import Iterable

from ...checker import Message
from ...practice.interview.said import Said
from ...sentences.wording import sentence
from ..brief import markdown_lines
from ..debug import hint_text
from ..look import Look
from ..report import report_lines
from ..text import Line, cells, pad, safe, wrap
from ..words import say

__all__ = ["clock_text", "duration", "said_lines"]

_INDENT = 2


def said_lines(said: Iterable[Said], language: str, width: int) -> list[Line]:
    """Draw what was said, a blank line after each."""
    lines: list[Line] = []
    for one in said:
        lines += [*_drawn(one, language, width), []]
    return lines


def clock_text(seconds: float) -> str:
    """Write the time left as a clock shows it; the last second is shown until it is over."""
    whole = max(0, math.ceil(seconds))
    hours, rest = divmod(whole, 3600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes:02}:{left:02}"


def duration(seconds: float) -> str:
    """Write how long something took."""
    minutes, left = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"


def _drawn(one: Said, language: str, width: int) -> list[Line]:
    values = {name: safe(_told(value, language)) for name, value in one.values.items()}
    if one.kind == "speech":
        return _spoken(one.text, width)
    if one.kind == "say":
        return _spoken(say(one.key, language, **values), width)
    if one.kind == "typed":
        return [[(row, "dim")] for row in wrap(f"> {safe(one.text)}", width)]
    if one.kind == "question":
        lines: list[Line] = [[(row, "bold")] for row in _quoted(one.text, width)]
        return [*lines, *(line for row in one.rows for line in _option(row, width))]
    if one.kind == "points":
        return _points(one, language, width)
    if one.kind == "output":
        head = [say(one.key, language)] if one.key else []
        rows = [*head, *(safe(row.expandtabs(4)) for row in one.rows)]
        return [[("  │ ", "dim"), (row, "")] for row in rows]
    if one.kind == "help":
        return _explained(one.rows, language, width)
    if one.kind == "hint" and one.hint is not None:
        return _spoken(hint_text(one.hint, language), width)
    if one.kind == "report" and one.report is not None:
        look = Look(language=language, width=width, source=one.source.splitlines())
        return report_lines(one.report, look)
    text = say(one.key, language, **values) if values else say(one.key, language)
    return [[(row, "note")] for row in wrap(text, width)]


def _told(value: object, language: str) -> str:
    """Write what a sentence of ours is filled with; the judge's own messages in their words."""
    return sentence(value, language) if isinstance(value, Message) else str(value)


def _spoken(text: str, width: int) -> list[Line]:
    """The interviewer's words stand a little in, behind a bar."""
    lines = markdown_lines(text, width - _INDENT)
    return [[("▌ ", "code"), *line] for line in lines]


def _explained(names: tuple[str, ...], language: str, width: int) -> list[Line]:
    """Each command as it is typed, and beside it what it does."""
    words = [say(f"interview-type-{name}", language) for name in names]
    wide = max(map(cells, words)) + 2
    lines: list[Line] = []
    for name, word in zip(names, words, strict=True):
        rows = wrap(say(f"interview-does-{name}", language), width - _INDENT - wide)
        heads = [pad(word, wide), *[" " * wide] * (len(rows) - 1)]
        lines += [
            [(" " * _INDENT + head, "code"), (row, "")]
            for head, row in zip(heads, rows, strict=True)
        ]
    return lines


def _quoted(text: str, width: int) -> list[str]:
    joined = " ".join(text.split("\n")) if text.isascii() else text.replace("\n", "")
    return ["? " + row if not at else "  " + row for at, row in enumerate(wrap(joined, width - 2))]


def _option(text: str, width: int) -> list[Line]:
    letter, _, words = text.partition("  ")
    rows = wrap(words, width - 7)
    return [
        [(f"  {letter}  " if not at else "     ", "code"), (row, "")] for at, row in enumerate(rows)
    ]


def _points(one: Said, language: str, width: int) -> list[Line]:
    lines = markdown_lines(one.text, width)
    lines += [[], [(say("interview-points", language) + say("colon", language), "bold")]]
    made = one.values.get("made")
    for number, point in enumerate(one.rows, 1):
        rows = wrap(point, width - 7)
        had = isinstance(made, tuple) and len(made) >= number and bool(made[number - 1])
        mark = "✓" if had else " "
        lines += [
            [(f"{mark} {number}  " if not at else "     ", "code"), (row, "pass" if had else "")]
            for at, row in enumerate(rows)
        ]
    for name in ("trap", "source"):
        if one.values.get(name):
            label = say(f"interview-{name}", language) + say("colon", language)
            text = label + " ".join(str(one.values[name]).split("\n"))
            lines += [[(row, "dim")] for row in wrap(text, width)]
    return lines
