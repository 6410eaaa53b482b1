"""Lines that are followed through passes: a mark at a line's end, which every pass has to keep."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable

__all__ = ["marked", "marks", "only_marks", "unmarked"]

_MARK = re.compile(r"#§(\d+)")
_AT_END = re.compile(r"[ \t]*#§(\d+)[ \t]*")


def marked(source: str, lines: Iterable[int]) -> str:
    """Return the source with a mark at the end of each line, or of the line that it goes on in.

    Raise ValueError where the source has no such line, or holds what looks like a mark.
    """
    if _MARK.search(source):
        raise ValueError("the source holds `#§` and a number, which marks a followed line")
    rows = source.split("\n")
    meaning = ast.dump(ast.parse(source))
    for line in sorted(set(lines)):
        if not 1 <= line <= len(rows):
            raise ValueError(f"there is no line {line} in a source of {len(rows)} lines")
        rows = _with_mark(rows, line, meaning)
    return "\n".join(rows)


def _with_mark(rows: list[str], line: int, meaning: str) -> list[str]:
    # Within a string or behind a backslash a mark would be no comment: then the next line has it.
    for index in range(line - 1, len(rows)):
        tried = [*rows[:index], f"{rows[index]}  #§{line}", *rows[index + 1 :]]
        try:
            if ast.dump(ast.parse("\n".join(tried))) == meaning:
                return tried
        except SyntaxError:
            continue
    raise ValueError(f"line {line} cannot be followed")


def marks(text: str) -> Counter[str]:
    """Return the marks in a piece of code, each with how often it is there."""
    return Counter(_MARK.findall(text))


def only_marks(comment: str) -> str:
    """Return a comment without its words: the marks in it, or nothing."""
    return " ".join(f"#§{line}" for line in _MARK.findall(comment))


def unmarked(text: str) -> tuple[str, dict[int, int]]:
    """Return the text without marks, and the line that each of them stood in."""
    lines: dict[int, int] = {}
    rows = text.split("\n")
    for number, row in enumerate(rows, 1):
        for found in _MARK.findall(row):
            lines[int(found)] = number
    return "\n".join(_AT_END.sub("", row) for row in rows), lines
