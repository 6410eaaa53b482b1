"""Workflow commands of GitHub Actions: one line a finding, shown beside the code.

docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from ...checker import Report, findings
from ..text import safe
from .places import line_of, message_of, path_from

__all__ = ["github_lines"]

_LEVELS = {"error": "error", "note": "notice"}


def github_lines(report: Report, language: str) -> Iterator[str]:
    """Yield a report's findings; none for a pass without remarks."""
    root = Path(os.environ.get("GITHUB_WORKSPACE") or ".")
    for finding in findings(report):
        line = line_of(report, finding)
        where = [("file", path_from(root, report.file))]
        where += [("line", str(line))] if line else []
        # Without a colon: not every program that reads this undoes the percent signs.
        where.append(("title", f"{report.kata} {finding.id}"))
        named = ",".join(f"{name}={_property(value)}" for name, value in where)
        said = "\n".join(map(safe, message_of(report, finding, language).split("\n")))
        yield f"::{_LEVELS[finding.level]} {named}::{_data(said)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(safe(text)).replace(":", "%3A").replace(",", "%2C")
