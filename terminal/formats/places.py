"""Where a finding is, as other programs are told: a path, and a line or a cell's."""

from __future__ import annotations

import os
from pathlib import Path

from ...checker import Finding, Report
from ...sentences.cells import cell_of, located
from ...sentences.wording import headline, sentence
from ..words import say

__all__ = ["line_of", "message_of", "path_from"]


def path_from(folder: Path, file: str) -> str:
    """Return a file's path from a folder, with slashes; the whole of it where it lies outside."""
    whole = os.path.realpath(file)
    inside = os.path.relpath(whole, os.path.realpath(folder))
    return Path(whole if inside.startswith("..") else inside).as_posix()


def line_of(report: Report, finding: Finding) -> int | None:
    """Return the line in the file; None in a notebook, whose file's lines are JSON's."""
    return None if report.cells else finding.line


def message_of(report: Report, finding: Finding, language: str) -> str:
    """Return what is said; in a notebook the cell and the line in it first."""
    with located(report.cells):
        told = headline(finding.message, language)
        told += f"\n{sentence(finding.help, language)}" if finding.help else ""
        if finding.line is None or cell_of(finding.line, report.cells) is None:
            return told
        place = say("line", language, line=finding.line)
    return told if place in told else place + say("colon", language) + told
