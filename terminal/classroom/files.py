"""A round's files: a table, JSON, JUnit and the page."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ... import __version__
from ...checker import Finding, Report, findings
from ...classroom.graded import Graded, Grades
from ...sentences.cells import located, short
from ...sentences.wording import worded
from ..formats.json_text import finite
from ..formats.junit import junit_text
from ..formats.places import message_of
from ..shown import text_of
from ..source import lines_of
from .page import page_text
from .problem import problem_of

__all__ = ["NAMES", "problem_of", "texts"]

NAMES = ("grade.csv", "grade.json", "grade.html", "grade.xml")
_COLUMNS = (
    "submission", "file", "kata", "verdict", "mistake", "line", "message", "seconds",
    "same_code_as",
)  # fmt: skip
# What a spreadsheet takes for a formula.
_FORMULA = re.compile(r"^[=+\-@\t\r]")


def texts(grades: Grades, language: str) -> Iterator[tuple[str, str]]:
    """Yield each file's name and text."""
    yield "grade.csv", _csv(grades, language)
    yield "grade.json", _json(grades, language)
    yield "grade.html", page_text(grades, language)
    yield "grade.xml", _junit(grades, language)


def _first(row: Graded) -> Finding | None:
    if row.report is None or row.report.verdict == "pass":
        return None
    return findings(row.report)[0]


def _csv(grades: Grades, language: str) -> str:
    held = io.StringIO()
    table = csv.writer(held, lineterminator="\n")
    table.writerow(_COLUMNS)
    for row in grades.rows:
        table.writerow(map(_plain, _cells(row, language)))
    return held.getvalue()


def _cells(row: Graded, language: str) -> list[str]:
    first, report = _first(row), row.report
    place = ""
    if first is not None and report is not None:
        with located(report.cells):
            place = short(first.line)
    told = message_of(report, first, language).partition("\n")[0] if report and first else ""
    return [
        row.answer.submission, row.answer.label, row.answer.kata, row.verdict,
        first.id if first else row.answer.problem, place, told or problem_of(row, language),
        f"{report.elapsed_ms / 1000:.2f}" if report else "", "; ".join(row.same),
    ]  # fmt: skip


def _plain(text: str) -> str:
    """Return a cell that no spreadsheet computes."""
    clean = text.encode("utf-8", "backslashreplace").decode()
    return f"'{clean}" if _FORMULA.match(clean) else clean


def _json(grades: Grades, language: str) -> str:
    whole: dict[str, Any] = {
        "schema": 1,
        "program": f"attn-kata {__version__}",
        "seed": grades.seed,
        "submissions": len(grades.submissions),
        "counts": {kata: dict(grades.count(kata)) for kata in grades.katas},
        "mistakes": [
            {"kata": one.kata, "mistake": one.id, "submissions": list(one.who)}
            for one in grades.often
        ],
        "answers": [
            {
                "submission": row.answer.submission,
                "file": row.answer.label,
                "kata": row.answer.kata or None,
                "verdict": row.verdict,
                "problem": problem_of(row, language) or None,
                "same_code_as": list(row.same),
                "report": worded(row.report, language).to_dict() if row.report else None,
            }
            for row in grades.rows
        ],
    }
    return json.dumps(finite(whole), indent=1) + "\n"


def _junit(grades: Grades, language: str) -> str:
    paths = {row.answer.label: row.answer.path for row in grades.rows}
    judged = [row.report for row in grades.rows if row.report is not None]
    unjudged = [
        (row.answer.label, row.answer.problem, problem_of(row, language))
        for row in grades.rows
        if row.report is None
    ]

    def drawn(report: Report) -> str:
        return text_of(report, lines_of(Path(paths[report.file])), language)

    return junit_text(judged, language, drawn, unjudged) + "\n"
