"""`assert_kata`: a verdict as a test has it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .api import Judged, check

__all__ = ["assert_kata", "drain"]

_judged: list[Judged] = []


def assert_kata(kata: str, what: str | Path | object, **options: Any) -> Judged:
    """Judge a submission; raise AssertionError with the whole report where it is no pass.

    what and options are those of `check`. Returns the report.
    """
    __tracebackhide__ = True
    report = check(kata, what, **options)
    _judged.append(report)
    if report.verdict != "pass":
        raise AssertionError(f"\n{report}")
    return report


def drain() -> list[Judged]:
    """Return the reports that were made since this was asked last."""
    found = _judged[:]
    _judged.clear()
    return found
