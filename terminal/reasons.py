"""What is wrong with a submission, as the first thing that a report says."""

from __future__ import annotations

from ..checker import Crash, Departure, Diagnosis, Fault, Mended, Report
from ..sentences.wording import headline
from .difference import shape_told
from .excerpt import Pair, excerpt
from .look import INDENT, Look, line_told, paragraph, place
from .text import Line, cells, safe, wrap
from .words import say

__all__ = ["reasons"]


def reasons(report: Report, look: Look) -> list[list[Line]]:
    """Draw what was raised, or what is wrong, and on which line."""
    fault: Fault | Crash | None = report.error or report.crash
    if fault is not None:
        return _crashed(fault, report, look)
    told = report.diagnosis
    if told:
        first = told[0]
        head = paragraph(f"× {look.words(first.message)}", look, 2, "bold", hang=2)
        blocks = [head + _found(first.mistake, first.line, report, look), _code(first, look)]
    elif report.mended is not None:
        blocks = _mends(report.mended, report, look)
    else:
        blocks = _parts_ways(report, look)
    return [*blocks, [line for other in told[1:] for line in _shorter(other, look)]]


def _parts_ways(report: Report, look: Look) -> list[list[Line]]:
    """Draw the first step that differs, if it has a line; else where the result is wrong."""
    departure, shapes = report.departure, shape_told(report, look.language)
    if departure is None or not (departure.line or shapes):
        # A step of the model answer's alone says nothing.
        where = report.difference.where if report.difference is not None else ""
        part = say("departs-part", look.language, where=look.words(where))
        return [paragraph(f"× {part}", look, 2, "bold", hang=2)] if where else []
    line, told = departure.line, shapes or _departs(departure, look)
    head = paragraph(f"× {told}", look, 2, "bold", hang=2)
    return [head + _found("", line, report, look), _code(_at(line), look)]


def _crashed(fault: Fault | Crash, report: Report, look: Look) -> list[list[Line]]:
    """Draw what was raised, and below it the mistakes that have a name, and an edit that mends."""
    head: list[Line] = []
    # How far an unfinished file of several functions is stands below, one by one.
    if not (report.unfinished and len(report.functions) > 1):
        told = safe(headline(fault.message, look.language))
        head += paragraph(f"× {told}", look, 2, "bold", hang=2)
    head += paragraph(look.words(fault.help), look, INDENT) if fault.help else []
    blocks = [[*head, *(_found("", fault.line, report, look) if head else [])]]
    named, mended = report.diagnosis, report.mended
    here = mended is not None and mended.line == fault.line
    edited = _at(fault.line, mended) if here else _at(fault.line)
    behind = next((one for one in named if fault.line in {None, one.line}), edited)
    blocks.append(_code(behind, look))
    for one in named:
        blocks.append(_shorter(one, look))
        if one is not behind and one.mended is not None:
            blocks.append(_code(one, look))
    return [*blocks, *(_mends(mended, report, look) if mended is not None and not here else [])]


def _mends(mended: Mended, report: Report, look: Look) -> list[list[Line]]:
    """Draw the edit that makes all right of which nothing more is known."""
    told = say("mended-alone", look.language, line=mended.line)
    head = paragraph(f"× {told}", look, 2, "bold", hang=2)
    return [head + _found("", mended.line, report, look), _code(_at(mended.line, mended), look)]


def _at(line: int | None, mended: Mended | None = None) -> Diagnosis:
    """What has no name, on a line, with the edit that mends it."""
    edit = (mended.yours, mended.mended) if mended is not None else (None, None)
    return Diagnosis(mistake="", message="", line=line, yours=edit[0], mended=edit[1])


def _found(name: str, line: int | None, report: Report, look: Look) -> list[Line]:
    """Draw a mistake's name and its place, which is unbroken if it can be, to be clicked."""
    parts = [part for part in (name, place(report, line) if line else "") if part]
    rows = ["  ".join(parts)] if cells("  ".join(parts)) <= look.width - INDENT else parts
    pieces = [piece for row in rows if row for piece in wrap(row, look.width - INDENT)]
    return [[(" " * INDENT, ""), (piece, "dim")] for piece in pieces]


def _departs(departure: Departure, look: Look) -> str:
    """Say which step differs first, where no mistake has a name for it."""
    told = say("departs", look.language, name=departure.milestone, line=departure.line)
    more = look.words(departure.message)
    return told + say("colon", look.language) + more if more else told


def _code(diagnosis: Diagnosis, look: Look) -> list[Line]:
    pair = Pair(
        wrong=diagnosis.matches,
        right=diagnosis.reference,
        match=say("diff-yours", look.language),
        want=say("diff-right", look.language),
    )
    if diagnosis.mended is not None:
        # What is wrong is the line itself, which is marked.
        key = "diff-mended" if diagnosis.mended else "diff-left-out"
        right = diagnosis.mended
        if right and right.strip() == diagnosis.yours:
            key, right = "diff-indented", ""
        pair = Pair(wrong=None, right=right, match="", want=say(key, look.language))
    return excerpt(
        look.source, diagnosis.line, yours=diagnosis.yours, width=look.width, pair=pair
    )  # fmt: skip


def _shorter(diagnosis: Diagnosis, look: Look) -> list[Line]:
    where = line_told(diagnosis.line, look)
    told = look.words(diagnosis.message)
    text = told if where and where.rstrip(": ：") in told else where + told
    return paragraph(f"× {text} [{diagnosis.mistake}]", look, 2, hang=2)
