"""How a report is drawn, and the text of which all its parts are made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..checker import Report, Said
from ..sentences.cells import located, short
from .text import Line, safe, wrap
from .words import in_words, say

__all__ = ["INDENT", "Look", "line_told", "paragraph", "place"]

INDENT = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How to draw a report.

    source: the file's lines, empty where they cannot be shown.
    commands: what to type next, as (label, command) pairs, last on the screen.
    checks: how those that pass are drawn: "all", one below the other; "some", after a failure
    by name alone; "count", after a pass by their number alone.
    heat: whether the attention weights are drawn. colour: whether the screen has colours.
    """

    language: str
    width: int = 80
    source: Sequence[str] = ()
    output: bool = False
    trace: bool = False
    heat: bool = False
    checks: str = "some"
    colour: bool = False
    commands: Sequence[tuple[str, str]] = ()

    def words(self, said: Said) -> str:
        """What a report says, in words."""
        return in_words(said, self.language)


def place(report: Report, line: int | None) -> str:
    """A file and its line as editors and terminals read them: `mine.py:24`."""
    with located(report.cells):
        return f"{safe(report.file)}:{short(line)}" if line else safe(report.file)


def line_told(line: int | None, look: Look) -> str:
    """Say a line before what is said of it; nothing where there is none."""
    return say("line", look.language, line=line) + say("colon", look.language) if line else ""


def paragraph(text: str, look: Look, indent: int, style: str = "", *, hang: int = 0) -> list[Line]:
    """Draw a text in rows. indent: cells before each; hang: before all but the first, besides."""
    rows = wrap(text, look.width - indent - hang)
    return [[(" " * (indent + (hang if at else 0)) + row, style)] for at, row in enumerate(rows)]
