"""What a report says, a finding each: for editors, CI and pages. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass

from .message import Said
from .report import Crash, Fault, Report

__all__ = ["Finding", "findings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing to be said of a file.

    level: error or note. id: the mistake's or remark's name, the kind of an error, or the check
    that fails. help: what more to say of an exception. line: as the report counts it,
    None where it is about the whole file.
    """

    level: str
    id: str
    message: Said
    line: int | None = None
    help: Said = ""


def findings(report: Report) -> list[Finding]:
    """Return all of a report's findings: why it is no pass first, then the remarks.

    What is no pass has one at least.
    """
    found = [] if report.verdict == "pass" else _faults(report)
    notes = [
        Finding(level="note", id=one.id, message=one.message, line=one.line)
        for one in report.remarks
    ]
    return found + notes


def _faults(report: Report) -> list[Finding]:
    named = [
        Finding(level="error", id=one.mistake, message=one.message, line=one.line)
        for one in report.diagnosis
    ]
    if report.error is not None:
        return [_raised(report.error.kind, report.error), *named]
    if report.crash is not None:
        return [_raised("raised", report.crash), *named]
    return named or [_unnamed(report)]


def _raised(kind: str, fault: Fault | Crash) -> Finding:
    return Finding(level="error", id=kind, message=fault.message, line=fault.line, help=fault.help)


def _unnamed(report: Report) -> Finding:
    """What is wrong and has no name: the first check that fails, where an edit mends it.

    Else it is told at the first step that differs.
    """
    failing = next((one for one in report.checks if one.status == "fail"), None)
    parts = [part for part in report.functions if part.status == "fail"]
    places = (one for one in (report.mended, report.departure) if one is not None)
    line = next((one.line for one in places), None)
    line = next((part.line for part in parts), None) if line is None else line
    name, detail = (failing.id, failing.detail) if failing is not None else (report.verdict, "")
    return Finding(level="error", id=name, message=detail or name, line=line)
