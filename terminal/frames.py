"""The watch screen: one view at a time, cut to the terminal, and the keys that work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..checker.report import Report
from ..kata.catalogue import Kata
from ..practice.schedule import Standing
from ..practice.sittings import Sitting
from .lists import next_lines
from .report import Look, report_lines, verdict_line
from .text import Line, cells, safe, wrap
from .times import duration, in_days
from .words import say

__all__ = ["Outcome", "framed", "heat_part", "key_line", "passed_lines", "trace_lines"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a pass amounts to. following: the kata to go on with."""

    kata: Kata
    sitting: Sitting | None
    standing: Standing
    following: Kata | None


def framed(
    body: Sequence[Line], foot: Sequence[Line], height: int, offset: int, language: str
) -> tuple[list[Line], int]:
    """Cut a view to the height, from a line on, with its foot below; return where it began.

    What does not fit is a key away; beyond the end it begins again.
    """
    room = max(3, height - len(foot) - 1)
    if len(body) <= room:
        return [*body, [], *foot], 0
    start = offset if offset < len(body) else 0
    shown = list(body[start : start + room - 1])
    left = len(body) - start - len(shown)
    more = say("watch-more", language, count=left) if left else say("watch-end", language)
    return [*shown, [(more, "dim")], [], *foot], start


def key_line(keys: Sequence[tuple[str, str]], width: int) -> list[Line]:
    """Draw the keys that work, each before its word, as many on a line as have room."""
    lines: list[Line] = [[]]
    used = 0
    for key, word in keys:
        size = cells(f"{key} {word}")
        if used and used + 3 + size > width:
            lines.append([])
            used = 0
        lines[-1] += [("   " if used else "", ""), (key, "code"), (f" {word}", "dim")]
        used += size + (3 if used else 0)
    return lines


def passed_lines(report: Report, look: Look, outcome: Outcome, *, keys: bool) -> list[Line]:
    """Draw a pass: how long it took, what to look at, when again, what next.

    keys: whether the next kata is a key away, and not a command.
    """
    language = look.language
    lines: list[Line] = [verdict_line(report, look), []]
    cases = sum(check.cases for check in report.checks)
    tried = sum(check.status == "pass" for check in report.checks)
    told = [_took(outcome, language), say("watch-cases", language, cases=cases, checks=tried)]
    if outcome.standing.due is not None:
        when = in_days(outcome.standing.due, language)
        told.append(say("watch-due", language, when=when))
    for text in filter(None, told):
        lines += [[(f"  {row}", "")] for row in wrap(text, look.width - 2)]
    # The rest of the report is a list of all that is well: what is left of it are the remarks.
    lines += report_lines(replace(report, checks=[]), replace(look, commands=()))[1:]
    if outcome.following is not None and keys:
        title = outcome.following.title[language]
        text = say("watch-next", language, kata=outcome.following.id, title=title)
        lines += [[], *([(f"  {row}", "bold")] for row in wrap(text, look.width - 2))]
    elif outcome.following is not None:
        lines += [[], *next_lines((f"attn-kata watch {outcome.following.id}",), language)]
    return lines


def trace_lines(report: Report, look: Look) -> list[Line]:
    """Draw the calls alone: what a report has more of where it is asked for them."""
    return _part(report, look, trace=True)


def heat_part(report: Report, look: Look) -> list[Line]:
    """Draw the attention weights alone."""
    return _part(report, look, heat=True)


def _part(report: Report, look: Look, **wanted: bool) -> list[Line]:
    """What a report has more of where a part of it is asked for."""
    plain = replace(look, commands=(), trace=False, heat=False)
    return report_lines(report, replace(plain, **wanted))[len(report_lines(report, plain)) :]


def _took(outcome: Outcome, language: str) -> str:
    sitting = outcome.sitting
    if sitting is None:
        return ""
    meant = say("list-minutes", language, minutes=outcome.kata.minutes)
    checks = len(sitting.attempts)
    key = "watch-checks-1" if checks == 1 else "watch-checks"
    parts = [say(key, language, count=checks)]
    if sitting.worked is not None:
        time = duration(sitting.worked, language)
        parts.insert(0, say("watch-took", language, time=time, meant=meant))
    if sitting.hints:
        key = "watch-hints-1" if sitting.hints == 1 else "watch-hints"
        parts.append(say(key, language, count=sitting.hints))
    return safe(say("watch-comma", language).join(parts))
