"""Writes reports to standard output in a form that programs read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from ...checker import Report
from ...practice.debug.veil import veiled
from ...sentences.wording import worded
from ..screen import Screen
from . import Format
from .json_text import json_line

__all__ = ["Writer", "writer"]

# Draws a report as a screen shows it, without colour.
_Drawn = Callable[[Report], str]


class Writer(Protocol):
    """Takes reports as they come; what is one document is written at the end."""

    def add(self, report: Report) -> None:
        """Take a report."""

    def end(self) -> None:
        """Write what is still to be written."""


def writer(form: Format, screen: Screen, drawn: _Drawn) -> Writer | None:
    """Return what writes this form; None for text, which is drawn."""
    kinds: dict[Format, Callable[[Screen, _Drawn], Writer]] = {
        Format.json: _Json,
        Format.github: _GitHub,
        Format.sarif: _Sarif,
        Format.junit: _JUnit,
    }
    return kinds[form](screen, drawn) if form in kinds else None


class _Json:
    """One JSON object a line."""

    def __init__(self, screen: Screen, _: _Drawn) -> None:
        self.screen = screen

    def add(self, report: Report) -> None:
        self.screen.write(json_line(worded(report, self.screen.language).to_dict()))

    def end(self) -> None:
        """Nothing is left."""


class _GitHub:
    def __init__(self, screen: Screen, _: _Drawn) -> None:
        self.screen = screen

    def add(self, report: Report) -> None:
        from .github import github_lines

        for line in github_lines(veiled(report), self.screen.language):
            self.screen.write(line)

    def end(self) -> None:
        """Nothing is left."""


class _Sarif:
    def __init__(self, screen: Screen, _: _Drawn) -> None:
        self.screen = screen
        self.reports: list[Report] = []

    def add(self, report: Report) -> None:
        self.reports.append(veiled(report))

    def end(self) -> None:
        from .documents import log_of

        self.screen.write(json_line(log_of(self.reports, self.screen.language)))


class _JUnit:
    def __init__(self, screen: Screen, drawn: _Drawn) -> None:
        self.screen = screen
        self.drawn = drawn
        self.reports: list[Report] = []

    def add(self, report: Report) -> None:
        self.reports.append(veiled(report))

    def end(self) -> None:
        from .junit import junit_text

        self.screen.write(junit_text(self.reports, self.screen.language, self.drawn))
