"""A round as one static page: what the class gets wrong most, and everyone's marked lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ...checker import Finding, Report, findings
from ...classroom.graded import Graded, Grades
from ...practice.pages import page_names
from ...sentences.cells import cell_of
from ..formats.places import message_of
from ..shown import page_html
from ..source import lines_of
from ..words import say
from .problem import problem_of

__all__ = ["page_text"]

_TEMPLATE = "page.html"
# Lines of a longer file are shown around its marks alone.
_LONG, _AROUND = 400, 12


@dataclass(frozen=True, slots=True, kw_only=True)
class _Block:
    """Lines of code, coloured. title: the cell's, empty for a file."""

    title: str
    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """An answer as the page shows it."""

    at: int
    graded: Graded
    problem: str
    notes: Sequence[tuple[Finding, str]]
    blocks: Sequence[_Block]


def page_text(grades: Grades, language: str) -> str:
    """Write the page: styles within, nothing fetched, and no script."""
    from jinja2 import Environment, FileSystemLoader
    from pygments.formatters import HtmlFormatter

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent), autoescape=True, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    rows = [_row(at, row, language) for at, row in enumerate(grades.rows, 1)]
    known = set(page_names())
    named = dict.fromkeys(
        finding.id for row in rows for finding, _ in row.notes if finding.id in known
    )
    return environment.get_template(_TEMPLATE).render(
        language=language,
        grades=grades,
        rows=rows,
        pages=[(name, page_html(name, language)) for name in sorted(named)],
        known=known,
        most=max((len(one.who) for one in grades.often), default=1),
        first={row.graded.answer.submission: row.at for row in reversed(rows)},
        say=lambda key, **values: say(key, language, **values),
        styles=HtmlFormatter(style="default").get_style_defs(".code"),
        dark=HtmlFormatter(style="github-dark").get_style_defs(".code"),
    )


def _row(at: int, graded: Graded, language: str) -> _Row:
    report = graded.report
    found = findings(report) if report is not None else []
    notes = [(one, message_of(report, one, language)) for one in found if report is not None]
    marked = [one.line for one in found if one.line]
    blocks = _blocks(graded, report, marked, language) if report is not None else []
    return _Row(
        at=at, graded=graded, problem=problem_of(graded, language), notes=notes, blocks=blocks
    )


def _blocks(graded: Graded, report: Report, marked: Sequence[int], language: str) -> list[_Block]:
    lines = lines_of(graded.answer.path)
    if not report.cells:
        return [_Block(title="", code=_coloured(lines, 1, marked))]
    blocks: list[_Block] = []
    for number, (first, last) in enumerate(report.cells, 1):
        rows = lines[first - 1 : last]
        own = [place[1] for one in marked if (place := cell_of(one, report.cells)) is not None
               and place[0] == number]  # fmt: skip
        if any(row.strip() for row in rows):
            title = say("round-cell", language, cell=number)
            blocks.append(_Block(title=title, code=_coloured(rows, 1, own)))
    return blocks


def _coloured(lines: Sequence[str], first: int, marked: Sequence[int]) -> str:
    """Colour lines, the marked ones on a ground. pygments escapes what it writes."""
    from markupsafe import Markup
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    shown, start = list(lines), first
    if len(lines) > _LONG:
        low = max(1, min(marked, default=1) - _AROUND)
        high = min(len(lines), max(marked, default=1) + _AROUND, low + _LONG)
        shown, start = list(lines[low - 1 : high]), low
    # Lines that begin with blanks, or are none, keep their number.
    lexer = PythonLexer(stripnl=False)
    formatter = HtmlFormatter(
        linenos="inline", linenostart=start, cssclass="code",
        hl_lines=[line - start + 1 for line in marked],
    )  # fmt: skip
    text = re.sub(r"[\x00-\x08\x0b-\x1f]", "\ufffd", "\n".join(shown))
    return Markup(highlight(text, lexer, formatter))  # noqa: S704
