"""An interview's result as one HTML page: styles, timeline and code within, nothing fetched."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from ...practice.interview.grades import Dimension
from ...practice.interview.result import Code, Result
from ..text import number
from ..words import say
from .lines import duration
from .result import decided, evidence, had, mark_text, spent, wanted, where

__all__ = ["page_text"]

_TEMPLATE = "page.html"
_WIDTH = 860
# Rows of the timeline, so that marks at one moment do not cover each other.
_ROWS = {
    "right": 0,
    "wrong": 0,
    "question": 1,
    "asked": 2,
    "claimed": 2,
    "hint": 3,
    "more": 3,
    "skipped": 3,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One square of a heat map: its text, and how much colour it has, 0 to 1."""

    text: str
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Map:
    """One heat map with its title."""

    title: str
    rows: Sequence[Sequence[Cell]]


def page_text(result: Result, language: str) -> str:
    """Write the page."""
    from jinja2 import Environment, FileSystemLoader

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent), autoescape=True, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip

    def words(key: str, **values: object) -> str:
        return say(key, language, **values)

    failed = [code for code in result.codes if not code.accepted]
    drawn = (_maps(code.report, language) for code in failed)
    # The first that has numbers: what does not run has none to compare.
    maps = next(filter(None, drawn), [])
    return environment.get_template(_TEMPLATE).render(
        result=result,
        language=language,
        say=words,
        duration=duration,
        spent=spent(result, language),
        date=datetime.fromtimestamp(result.wall, timezone.utc).date().isoformat(),
        decided=decided(result, language),
        wanted=wanted(result, language),
        shown=_shown(result, language),
        had=lambda one: had(one, language),
        where=lambda mistake: where(mistake, language),
        timeline=_timeline(result),
        width=_WIDTH,
        code=_code,
        prose=_prose,
        first=failed[0] if failed else None,
        maps=maps,
    )


def _shown(result: Result, language: str) -> list[tuple[Dimension, str, list[str]]]:
    """Write each dimension's mark and evidence; practice has none."""
    return [
        (one, mark_text(one, floor, language), [evidence(each, language) for each in one.evidence])
        for one, floor in zip(result.dimensions, result.floors, strict=False)
    ]


def _timeline(result: Result) -> list[dict[str, Any]]:
    """Place each mark on a line as long as the interview took."""
    whole = max([result.spent, 1.0, *(mark.at for mark in result.marks)])
    return [
        {
            "mark": mark,
            "x": round(10 + (_WIDTH - 20) * mark.at / whole, 1),
            "row": _ROWS.get(mark.kind, 3),
        }
        for mark in result.marks
    ]


def _prose(text: str) -> str:
    """Set what stands in backticks as code."""
    from markupsafe import Markup, escape

    return Markup(re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(text))))  # noqa: S704


def _code(code: Code) -> str:
    """Colour a submission, the lines of its mistakes marked. pygments escapes what it writes."""
    from markupsafe import Markup
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    lines = [row["line"] for row in code.report.get("diagnosis", ()) if row["line"]]
    marked = [] if code.accepted else lines
    formatter = HtmlFormatter(linenos="inline", hl_lines=marked, noclasses=True, style="default")
    return Markup(highlight(code.source, PythonLexer(), formatter))  # noqa: S704


def _maps(report: Mapping[str, Any], language: str) -> list[Map]:
    """Draw the attention weights of both sides where the report carries them, else the numbers."""
    heat = report.get("heat")
    if heat and heat.get("expected"):
        return _weights(heat, language)
    difference = report.get("difference")
    if not difference or not difference.get("expected") or not difference.get("actual"):
        return []
    return _numbers(difference["actual"], difference["expected"], language)


def _weights(heat: Mapping[str, Any], language: str) -> list[Map]:
    maps: list[Map] = []
    for key, heads in (("yours", heat["actual"]), ("expected", heat["expected"])):
        for head, rows in enumerate(heads, 1):
            title = say(f"result-heat-{key}", language)
            maps.append(_map(f"{title} {head}" if len(heads) > 1 else title, rows, 1.0))
    return maps


def _numbers(actual: list[list[float]], expected: list[list[float]], language: str) -> list[Map]:
    off = [
        [abs(a - e) for a, e in zip(one, two, strict=False)]
        for one, two in zip(actual, expected, strict=False)
    ]
    sizes = [abs(n) for rows in (actual, expected) for row in rows for n in row if math.isfinite(n)]
    most = max([*sizes, 1e-9])
    worst = max([*(n for row in off for n in row if math.isfinite(n)), 1e-9])
    return [
        _map(say("result-heat-yours", language), actual, most),
        _map(say("result-heat-expected", language), expected, most),
        _map(say("result-heat-off", language), off, worst),
    ]


def _map(title: str, rows: Sequence[Sequence[float]], most: float) -> Map:
    return Map(title=title, rows=[[_cell(value, most) for value in row] for row in rows])


def _cell(value: float, most: float) -> Cell:
    if not math.isfinite(value):
        return Cell(text=number(value), share=1.0)
    return Cell(text=number(value), share=round(min(1.0, abs(value) / most), 3))
