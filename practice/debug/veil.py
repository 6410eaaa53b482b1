"""An exercise's report as it is shown."""

from __future__ import annotations

from dataclasses import replace

from ...checker import Report

__all__ = ["veiled"]


def veiled(report: Report) -> Report:
    """Return a report as it is shown: of an exercise, without what names or quotes its bugs."""
    if report.debug is None:
        return report
    checks = [replace(check, detail="") for check in report.checks]
    error = None if report.error is None else replace(report.error, help="")
    return replace(
        report, checks=checks, error=error, crash=None, diagnosis=[], departure=None, mended=None,
        remarks=[], difference=None, trace=[], heat=None, functions=[], also=[], printed="",
    )  # fmt: skip
