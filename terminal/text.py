"""Text on a grid: escaping, measuring and wrapping, Latin and Chinese.

A line is a list of spans, each a text and a style's name; rich styles them at the end.
"""

from __future__ import annotations

import math
import shlex
import unicodedata
from collections.abc import Iterator, Sequence

__all__ = [
    "Line",
    "Span",
    "cells",
    "cut",
    "fold",
    "number",
    "pad",
    "quoted",
    "safe",
    "shape",
    "wrap",
    "wrap_code",
    "written",
]

Span = tuple[str, str]
Line = list[Span]

_CLOSING = "，。；：！？）》」』、”’…,.;:!?)]}%·"
_OPENING = "（《「『“‘([{"
_SPELT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def safe(text: str) -> str:
    """Spell out what would move the cursor, ring, recolour or reorder."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_spelt, text))


def _spelt(char: str) -> str:
    if char in _SPELT:
        return _SPELT[char]
    if "\udc80" <= char <= "\udcff":
        # A byte of a file's name that is no UTF-8, as Python carries it.
        return f"\\x{ord(char) - 0xDC00:02x}"
    if unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"}:
        code = ord(char)
        return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
    return char


def quoted(argument: str) -> str:
    """Return a file's name as one would type it in a shell."""
    if argument != safe(argument):
        inner = safe(argument.replace("\\", "\\\\").replace("'", "\\'"))
        return f"$'{inner}'"
    return shlex.quote(f"./{argument}" if argument.startswith("-") else argument)


def cells(text: str) -> int:
    """Return how many columns a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def pad(text: str, width: int, *, right: bool = False) -> str:
    """Fill a text with spaces to a width in columns."""
    space = " " * max(0, width - cells(text))
    return space + text if right else text + space


def cut(text: str, width: int) -> str:
    """Return a text that is no wider than so many columns, with … where it was cut."""
    return text if cells(text) <= width else f"{_head(text, max(0, width - 1))}…"


def number(value: float | None) -> str:
    """Write a number with three digits, as one would say it."""
    if value is None:
        return "?"
    if isinstance(value, bool):
        return str(value)
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return f"{value:.3g}"


def shape(sizes: Sequence[int]) -> str:
    """Write a shape or a place: (2, 5, 12)."""
    return "(" + ", ".join(map(str, sizes)) + ")"


def written(line: Line) -> str:
    """Return a line's text without its styles."""
    return "".join(text for text, _ in line)


def fold(line: Line, width: int) -> list[Line]:
    """Break a line where the screen ends, as a terminal does: code keeps its spaces."""
    if cells(written(line)) <= width:
        return [line]
    rows: list[Line] = [[]]
    used = 0
    for text, style in line:
        start = 0
        for at, char in enumerate(text):
            size = cells(char)
            if used + size > width:
                rows[-1].append((text[start:at], style))
                rows.append([])
                start, used = at, 0
            used += size
        rows[-1].append((text[start:], style))
    return rows


def wrap(text: str, width: int) -> list[str]:
    """Break a text into lines at spaces, and between Chinese characters.

    A word too long for a line is cut; closing punctuation never starts a line. A width of none
    or less, which is what a narrow terminal leaves beside a label, holds one character.
    """
    width = max(1, width)
    lines: list[str] = []
    current = ""
    for piece in _pieces(text):
        if cells(current) + cells(piece.rstrip(" ")) <= width:
            current += piece
            continue
        if current.strip():
            lines.append(current.rstrip(" "))
        current = piece.lstrip(" ")
        while cells(current) > width:
            head = _head(current, width)
            lines.append(head)
            current = current[len(head) :]
    if current.strip() or not lines:
        lines.append(current.rstrip(" "))
    return lines


def wrap_code(text: str, width: int) -> list[str]:
    """Break a line of code at spaces; what follows stands a little further in than it does."""
    dent = text[: len(text) - len(text.lstrip())]
    if cells(text) <= width or len(dent) > width // 2:
        return [text] if cells(text) <= width else wrap(text, width)
    first, *rest = wrap(text.lstrip(), width - len(dent) - 2)
    return [dent + first, *(f"{dent}  {piece}" for piece in rest)]


def _pieces(text: str) -> Iterator[str]:
    """Yield what must stay together: a word with the space after it, a wide character."""
    start = 0
    for at in range(1, len(text)):
        before, after = text[at - 1], text[at]
        if after in _CLOSING or after == " " or before in _OPENING:
            continue
        if before == " " or _wide(before) or _wide(after):
            yield text[start:at]
            start = at
    if text:
        yield text[start:]


def _wide(char: str) -> bool:
    return unicodedata.east_asian_width(char) in "WF"


def _head(text: str, width: int) -> str:
    used = 0
    for at, char in enumerate(text):
        used += cells(char)
        if used > width and at:
            return text[:at]
    return text
