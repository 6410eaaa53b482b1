"""A report as a person reads it: verdict, reason, evidence, checks, next command."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..checker import (
    CHECK_IDS,
    Check,
    Message,
    Part,
    Report,
)  # fmt: skip
from ..sentences.cells import located
from ..sentences.wording import headline
from .difference import difference_lines
from .flow import flow_lines
from .heat import heat_lines
from .look import Look, line_told, paragraph, place
from .meanings import other_meanings
from .printed import printed_lines
from .reasons import reasons
from .text import Line, Span, cells, pad, safe, wrap, written
from .times import seconds_taken
from .words import say

__all__ = [
    "command_lines", "quiet_line", "report_lines", "summary_lines", "verdict_line",
]  # fmt: skip

_NAME = 11


def report_lines(report: Report, look: Look) -> list[Line]:
    """Draw a whole report."""
    with located(report.cells):
        return _report_lines(report, look)


def _report_lines(report: Report, look: Look) -> list[Line]:
    if report.debug is not None:
        from .debug import mending_lines

        head = [[verdict_line(report, look)], *(reasons(report, look) if report.error else [])]
        mended = mending_lines(report.debug, look.language, look.width)
        return _joined([*head, mended, _checks(report, look), command_lines(report, look)])
    asked, commands = _asked(report, look), command_lines(report, look)
    if report.verdict == "pass" and look.checks == "count":
        summary = summary_lines(report, look)
        return _joined([summary, *asked, commands]) if asked else summary + commands
    blocks = [[verdict_line(report, look)]]
    blocks += [*reasons(report, look), _parts(report, look)]
    if report.difference is not None:
        case = look.words(report.difference.case)
        told = any(case in look.words(check.detail) for check in report.checks)
        # Of what has a name, or nothing but this, no more is to be said.
        departs = report.departure is not None and report.departure.line is not None
        part = departs and not report.diagnosis and report.mended is None
        blocks.append(
            difference_lines(report.difference, look.language, look.width, told=told, part=part)
        )
    checks, remarks = _checks(report, look), _remarks(report, look)
    # After a failure they are one block, so that the screen fits where it can.
    blocks += [checks + remarks] if report.verdict == "fail" else [checks, remarks]
    return _joined([*blocks, *asked, commands])


def summary_lines(report: Report, look: Look) -> list[Line]:
    """Draw a pass in two lines, and what is worth knowing of it."""
    cases = sum(check.cases for check in report.checks)
    tried = sum(check.status == "pass" for check in report.checks)
    # Where the rest can be had by an option, the option is named.
    key = "count-passed" if look.checks == "count" else "watch-cases"
    text = say(key, look.language, cases=cases, checks=tried)
    return [verdict_line(report, look), *paragraph(text, look, 2), *_remarks(report, look)]


def _asked(report: Report, look: Look) -> list[list[Line]]:
    """Draw what is in a report where it is asked for."""
    blocks: list[list[Line]] = []
    if look.trace:
        blocks.append(flow_lines(report, look.language, look.width))
    if look.heat:
        blocks.append(heat_lines(report, look.language, look.width, colour=look.colour))
    return blocks


def _joined(blocks: Sequence[list[Line]]) -> list[Line]:
    """Put blocks below each other, an empty line between them."""
    lines: list[Line] = []
    for block in filter(None, blocks):
        lines += [*([[]] if lines else []), *block]
    return lines


def _word(report: Report, language: str) -> Span:
    """The verdict in a word. What is not written yet has one of its own."""
    verdict = "unfinished" if report.unfinished else report.verdict
    style = {"pass": "pass", "unfinished": "note"}.get(verdict, "fail")
    return say(f"verdict-{verdict}", language), style


def verdict_line(report: Report, look: Look) -> Line:
    """Draw the verdict: kata, file, class and the word itself, at the right edge."""
    word, style = _word(report, look.language)
    file = safe(report.file)
    named = safe(report.object or "")
    left = "  ".join(part for part in (report.kata, file, named) if part)
    if cells(left) + cells(word) + 2 > look.width:
        left = f"{report.kata}  {file}"
    if cells(left) + cells(word) + 2 > look.width:
        return [(word, style), ("  ", ""), (left, "bold")]
    gap = look.width - cells(left) - cells(word)
    return [(left, "bold"), (" " * gap, ""), (word, style)]


def quiet_line(report: Report, language: str) -> Line:
    """Draw a report on one line: the verdict, the kata, the file and what is wrong first."""
    word, style = _word(report, language)
    rows = [(each.line, each.mistake) for each in report.diagnosis]
    rows += [(report.error.line, headline(report.error.message, language))] if report.error else []
    rows += [(None, each.id) for each in report.checks if each.status == "fail"]
    line, what = rows[0] if rows else (None, "")
    where = place(report, line)
    return [(f"{pad(word, 6)}  ", style), (f"{report.kata}  {where}  {safe(what)}".rstrip(), "")]


def _parts(report: Report, look: Look) -> list[Line]:
    """Draw how far a file of several functions is: which are right, wrong, and still to write."""
    parts = report.functions
    if len(parts) < 2 or report.verdict == "pass":
        return []
    named = {
        status: [part for part in parts if part.status == status]
        for status in ("pass", "fail", "waits")
    }
    done = say("parts-done", look.language, done=len(named["pass"]), count=len(parts))
    room = max([_NAME, *(cells(part.name) for part in parts if part.message)])
    rows = _names("check-pass", [part.name for part in named["pass"]], look)
    for status, label in (("fail", "check-fail"), ("waits", "check-wait")):
        told = [part for part in named[status] if part.message]
        rows += [row for part in told for row in _told(label, part, report, look, room)]
        rows += _names(label, [part.name for part in named[status] if part not in told], look)
    return [[(f"  {done}", "bold")], *rows]


def _told(key: str, part: Part, report: Report, look: Look, room: int) -> list[Line]:
    """Draw one function with why it is wrong, or what it waits for."""
    label = say(key, look.language)
    # What is the headline already is not said again.
    headline = report.error is not None and part.message == report.error.message
    text = "" if headline else look.words(part.message)
    where = line_told(part.line, look)
    text = where + text if text else where.rstrip(": ：")
    style = "fail" if part.status == "fail" else "dim"
    return _hung(f"  {label}  {pad(part.name, room)} ", text, look, style, cut=2 + cells(label))


def _names(key: str, names: Sequence[str], look: Look) -> list[Line]:
    if not names:
        return []
    label = say(key, look.language)
    style = "pass" if key == "check-pass" else "dim"
    return _hung(f"  {label}  ", " ".join(names), look, style, cut=2 + cells(label))


def _checks(report: Report, look: Look) -> list[Line]:
    order = {name: place for place, name in enumerate(CHECK_IDS)}
    checks = sorted(report.checks, key=lambda check: order.get(check.id, len(order)))
    told = [look.words(p.message) for p in report.functions if p.status == "fail" and p.message]
    several = len(report.functions) > 1
    failing = [check for check in checks if check.status == "fail"
               and not (several and look.words(check.detail).endswith(tuple(told)))]  # fmt: skip
    passing = [check for check in checks if check.status == "pass"]
    skipped = [check for check in checks if check.status == "skip"]
    # What is the headline already is not said again.
    raised = report.crash.check if report.crash is not None else None
    failing = [replace(c, detail="") if c.id == raised and not several else c for c in failing]
    lines = [line for check in failing for line in _failing(check, look)]
    if report.verdict == "error":
        # What holds of some functions says little about the file.
        return lines
    waiting = [c for c in skipped if isinstance(c.detail, Message) and c.detail.key == "waits"]
    lines += _together("check-wait", waiting, look)
    if report.verdict != "pass" and look.checks != "all":
        lines += _folded("check-pass", passing, "", look)
    else:
        lines += [line for check in passing for line in _passing(check, look)]
        lines += _together("check-skip", [c for c in skipped if c not in waiting], look)
    return lines


def _failing(check: Check, look: Look) -> list[Line]:
    label = say("check-fail", look.language)
    head = f"  {label}  {pad(check.id, _NAME)} "
    return _hung(head, look.words(check.detail), look, "fail", cut=2 + cells(label))


def _passing(check: Check, look: Look) -> list[Line]:
    label = say("check-pass", look.language)
    cases = str(check.cases) if check.cases else ""
    # A narrow screen has no room for the column that the wide one counts in.
    count = f"{pad(cases, 4, right=True)}  " if look.width >= 60 else ""
    head = f"  {label}  {pad(check.id, _NAME)} {count}"
    return _hung(head, look.words(check.detail), look, "pass", cut=2 + cells(label))


def _together(key: str, checks: Sequence[Check], look: Look) -> list[Line]:
    """Draw checks that share a status, one line for each reason."""
    lines: list[Line] = []
    for detail in dict.fromkeys(check.detail for check in checks):
        same = [check for check in checks if check.detail == detail]
        lines += _folded(key, same, look.words(detail), look)
    return lines


def _folded(key: str, checks: Sequence[Check], detail: str, look: Look) -> list[Line]:
    if not checks:
        return []
    label = say(key, look.language)
    names = " ".join(check.id for check in checks)
    text = names + say("in-brackets", look.language, text=detail) if detail else names
    style = "pass" if key == "check-pass" else "dim"
    return _hung(f"  {label}  ", text, look, style, cut=2 + cells(label))


def _hung(head: str, text: str, look: Look, style: str, *, cut: int) -> list[Line]:
    """Draw a text beside its head, the first `cut` columns of which are coloured."""
    if not text:
        return [_tinted(head.rstrip(), style, cut)]
    room = look.width - cells(head)
    if room < 20:
        # Too narrow to stand beside: below, a little in.
        below = [[(f"      {row}", "")] for row in wrap(text, look.width - 6)]
        return [_tinted(head.rstrip(), style, cut), *below]
    first, *others = wrap(text, room)
    under = [[(" " * cells(head) + row, "")] for row in others]
    return [[*_tinted(head, style, cut), (first, "")], *under]


def _tinted(head: str, style: str, cut: int) -> Line:
    at = 0
    while at < len(head) and cells(head[:at]) < cut:
        at += 1
    return [(head[:at], style), (head[at:], "")]


def _remarks(report: Report, look: Look) -> list[Line]:
    texts, label = _remarked(report, look), say("check-note", look.language)
    if report.printed and not look.output:
        count = len(report.printed.splitlines())
        texts.append(say("printed-folded", look.language, count=count))
    head, cut = f"  {label}  ", 2 + cells(label)
    lines = [line for text in texts for line in _hung(head, text, look, "note", cut=cut)]
    shown = report.printed and look.output
    return [*lines, *(printed_lines(report, look.language, look.width) if shown else [])]


def _remarked(report: Report, look: Look) -> list[str]:
    """What is worth knowing: in sentences after a pass, else by name and line alone."""
    if report.verdict != "fail":
        return [
            f"{line_told(r.line, look)}{look.words(r.message)} [{r.id}]" for r in report.remarks
        ]
    rows = [(r.id, line_told(r.line, look).rstrip(": ：")) for r in report.remarks]
    named = [name + (say("in-brackets", look.language, text=at) if at else "") for name, at in rows]
    meant = other_meanings(report, look.language, look.commands)
    return [*meant, *(["  ".join(named)] if named else [])]


def command_lines(report: Report, look: Look) -> list[Line]:
    """Draw what to type next, and at its end how long the judging took."""
    lines: list[Line] = []
    widest = max((cells(label) for label, _ in look.commands), default=0)
    for label, command in look.commands:
        lines.append([(f"  {pad(label, widest)}  ", "dim"), (command, "code")])
    took = f"{seconds_taken(report.elapsed_ms)} s"
    if not lines:
        return lines
    gap = look.width - cells(written(lines[-1])) - len(took)
    if gap >= 2:
        lines[-1] += [(" " * gap, ""), (took, "dim")]
    else:
        lines.append([(pad(took, look.width, right=True), "dim")])
    return lines
