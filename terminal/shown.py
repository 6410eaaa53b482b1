"""A report outside of a terminal: as plain text, as rich takes it, and as HTML."""

from __future__ import annotations

import io
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from ..checker import Report
from ..practice.pages import page_called, page_names
from .look import Look
from .report import report_lines
from .screen import STYLES
from .text import Line, written
from .words import say

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["WIDTH", "Shown", "html_of", "page_html", "rich_of", "text_of"]

WIDTH = 88
_FONTS = "Menlo,Consolas,'DejaVu Sans Mono','Noto Sans Mono CJK SC',monospace"
_PRE = (
    f'<pre style="white-space:pre;overflow-x:auto;line-height:normal;font-family:{_FONTS}">'
    "{code}</pre>"
)


class Shown:
    """Lines that show themselves, in a notebook as HTML."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self.lines = lines

    def __repr__(self) -> str:
        """The lines as text."""
        return "\n".join(map(written, self.lines))

    def _repr_html_(self) -> str:
        return _html(_rich(self.lines))


def text_of(report: Report, code: Sequence[str], language: str) -> str:
    """Return the screen of a report."""
    return "\n".join(written(line) for line in _lines(report, code, language))


def rich_of(report: Report, code: Sequence[str], language: str) -> Text:
    """Return the screen of a report in colour."""
    return _rich(_lines(report, code, language))


def html_of(report: Report, code: Sequence[str], language: str) -> str:
    """Return the screen of a report as HTML, with the page on each mistake below it, folded."""
    known = page_names()
    named = dict.fromkeys(one.mistake for one in report.diagnosis if one.mistake in known)
    pages = [
        f"<details><summary>{escape(say('next-why', language))}  <code>{escape(name)}</code>"
        f"</summary>{page_html(name, language)}</details>"
        for name in named
    ]
    return _html(rich_of(report, code, language)) + "".join(pages)


def page_html(name: str, language: str) -> str:
    """Return a page on a mistake as HTML."""
    from markdown_it import MarkdownIt

    return str(MarkdownIt().render(page_called(name, language)))


def _rich(lines: Sequence[Line]) -> Text:
    from rich.text import Text

    rows = [Text.assemble(*[(text, STYLES[style]) for text, style in line]) for line in lines]
    return Text("\n").join(rows)


def _html(text: Text) -> str:
    from rich.console import Console

    console = Console(file=io.StringIO(), record=True, width=WIDTH, color_system="truecolor",
                      force_jupyter=False)  # fmt: skip
    console.print(text, soft_wrap=True)
    return console.export_html(inline_styles=True, code_format=_PRE)


def _lines(report: Report, code: Sequence[str], language: str) -> list[Line]:
    look = Look(language=language, width=WIDTH, source=code, heat=report.heat is not None)
    return report_lines(report, look)
