"""A report as a person reads it: verdict, reason, evidence, checks, next command."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..checker import (
    CHECK_IDS,
    Check,
    Crash,
    Departure,
    Diagnosis,
    Fault,
    Message,
    Part,
    Report,
    Said,
)  # fmt: skip
from ..sentences.cells import located, short
from ..sentences.wording import headline
from .difference import difference_lines, shape_told
from .excerpt import Pair, excerpt
from .flow import flow_lines
from .heat import heat_lines
from .meanings import other_meanings
from .printed import printed_lines
from .text import Line, Span, cells, pad, safe, wrap, written
from .times import seconds_taken
from .words import in_words, say

__all__ = [
    "Look", "command_lines", "quiet_line", "report_lines", "summary_lines", "verdict_line",
]  # fmt: skip

_INDENT = 4
_NAME = 11


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How to draw a report.

    source: the file's lines, empty where they cannot be shown.
    commands: what to type next, as (label, command) pairs, last on the screen.
    checks: how those that pass are drawn: "all", one below the other; "some", after a failure
    by name alone; "count", after a pass by their number alone.
    heat: whether the attention weights are drawn. colour: whether the screen has colours.
    """

    language: str
    width: int = 80
    source: Sequence[str] = ()
    output: bool = False
    trace: bool = False
    heat: bool = False
    checks: str = "some"
    colour: bool = False
    commands: Sequence[tuple[str, str]] = ()

    def words(self, said: Said) -> str:
        """What a report says, in words."""
        return in_words(said, self.language)


def report_lines(report: Report, look: Look) -> list[Line]:
    """Draw a whole report."""
    with located(report.cells):
        return _report_lines(report, look)


def _report_lines(report: Report, look: Look) -> list[Line]:
    if report.debug is not None:
        from .debug import mending_lines

        head = [[verdict_line(report, look)], *(_reasons(report, look) if report.error else [])]
        mended = mending_lines(report.debug, look.language, look.width)
        return _joined([*head, mended, _checks(report, look), command_lines(report, look)])
    asked, commands = _asked(report, look), command_lines(report, look)
    if report.verdict == "pass" and look.checks == "count":
        summary = summary_lines(report, look)
        return _joined([summary, *asked, commands]) if asked else summary + commands
    blocks = [[verdict_line(report, look)]]
    blocks += [*_reasons(report, look), _parts(report, look)]
    if report.difference is not None:
        case = look.words(report.difference.case)
        told = any(case in look.words(check.detail) for check in report.checks)
        blocks.append(difference_lines(report.difference, look.language, look.width, told=told))
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
    return [verdict_line(report, look), *_paragraph(text, look, 2), *_remarks(report, look)]


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
    place = _place(report, line)
    return [(f"{pad(word, 6)}  ", style), (f"{report.kata}  {place}  {safe(what)}".rstrip(), "")]


def _reasons(report: Report, look: Look) -> list[list[Line]]:
    fault: Fault | Crash | None = report.error or report.crash
    if fault is not None:
        return _crashed(fault, report, look)
    blocks: list[list[Line]] = []
    first, *others = report.diagnosis or [None]
    if first is not None:
        blocks.append(_paragraph(f"× {look.words(first.message)}", look, 2, "bold", hang=2))
        blocks[-1] += _found(first.mistake, first.line, report, look)
        blocks.append(_code(first, look))
    elif report.departure is not None:
        told = shape_told(report, look.language) or _departs(report.departure, look)
        blocks.append(_paragraph(f"× {told}", look, 2, "bold", hang=2))
        blocks[-1] += _found("", report.departure.line, report, look)
        blocks.append(_code(Diagnosis(mistake="", message="", line=report.departure.line), look))
    blocks.append([line for other in others if other for line in _shorter(other, look)])
    return blocks


def _crashed(fault: Fault | Crash, report: Report, look: Look) -> list[list[Line]]:
    """Draw what was raised, and below it the mistakes that have a name."""
    head: list[Line] = []
    # How far an unfinished file of several functions is stands below, one by one.
    if not (report.unfinished and len(report.functions) > 1):
        told = safe(headline(fault.message, look.language))
        head += _paragraph(f"× {told}", look, 2, "bold", hang=2)
    head += _paragraph(look.words(fault.help), look, _INDENT) if fault.help else []
    blocks = [[*head, *(_found("", fault.line, report, look) if head else [])]]
    named = report.diagnosis
    behind = next((one for one in named if fault.line in {None, one.line}), None)
    blocks.append(_code(behind or Diagnosis(mistake="", message="", line=fault.line), look))
    blocks.append([line for one in named for line in _shorter(one, look)])
    return blocks


def _place(report: Report, line: int | None) -> str:
    """Return a file and its line as editors and terminals read them: `mine.py:24`."""
    with located(report.cells):
        return f"{safe(report.file)}:{short(line)}" if line else safe(report.file)


def _found(name: str, line: int | None, report: Report, look: Look) -> list[Line]:
    """Draw a mistake's name and its place, which is unbroken if it can be, to be clicked."""
    parts = [part for part in (name, _place(report, line) if line else "") if part]
    rows = ["  ".join(parts)] if cells("  ".join(parts)) <= look.width - _INDENT else parts
    pieces = [piece for row in rows if row for piece in wrap(row, look.width - _INDENT)]
    return [[(" " * _INDENT, ""), (piece, "dim")] for piece in pieces]


def _departs(departure: Departure, look: Look) -> str:
    """Say which step differs first, where no mistake has a name for it."""
    key = "departs" if departure.line else "departs-nowhere"
    told = say(key, look.language, name=departure.milestone, line=departure.line)
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
        want = say("diff-mended", look.language)
        pair = Pair(wrong=None, right=diagnosis.mended, match="", want=want)
    return excerpt(
        look.source, diagnosis.line, yours=diagnosis.yours, width=look.width, pair=pair
    )  # fmt: skip


def _shorter(diagnosis: Diagnosis, look: Look) -> list[Line]:
    where = _line(diagnosis.line, look)
    told = look.words(diagnosis.message)
    text = told if where and where.rstrip(": ：") in told else where + told
    return _paragraph(f"× {text} [{diagnosis.mistake}]", look, 2, hang=2)


def _line(line: int | None, look: Look) -> str:
    return say("line", look.language, line=line) + say("colon", look.language) if line else ""


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
    where = _line(part.line, look)
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
        return [f"{_line(r.line, look)}{look.words(r.message)} [{r.id}]" for r in report.remarks]
    rows = [(r.id, _line(r.line, look).rstrip(": ：")) for r in report.remarks]
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


def _paragraph(text: str, look: Look, indent: int, style: str = "", *, hang: int = 0) -> list[Line]:
    rows = wrap(text, look.width - indent - hang)
    return [[(" " * (indent + (hang if at else 0)) + row, style)] for at, row in enumerate(rows)]
