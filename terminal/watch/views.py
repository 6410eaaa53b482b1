"""What the watch screen can show: the verdict, the brief, pages, hints, the trace, the answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ...checker import Report
from ...practice.pages import page_called
from ..brief import markdown_lines
from ..debug import hint_text
from ..lists import hint_lines, hints_over_lines, next_lines
from ..look import Look
from ..report import report_lines, summary_lines, verdict_line
from ..solution import solution_lines
from ..text import Line, cells, pad, safe, wrap
from ..times import duration, in_days
from ..words import say
from .rounds import Outcome, Rounds

__all__ = ["VIEWS", "farewell_lines", "keys_lines", "verdict_lines"]


def verdict_lines(rounds: Rounds, look: Look, *, keys: bool) -> list[Line]:
    """Draw the verdict, or why there is none.

    keys: whether the next kata is a key away, and not a command.
    """
    language, report = look.language, rounds.session.report
    if rounds.session.gone:
        return _told("watch-gone", look, file=safe(str(rounds.file)))
    if report is None:
        head = f"{rounds.kata.id}  {rounds.kata.title[language]}"
        return [*_bold(head, look), [], *_told("watch-first", look)]
    if rounds.outcome is not None:
        return _passed(report, look, rounds.outcome, keys=keys)
    return report_lines(report, look)


def farewell_lines(rounds: Rounds, look: Look) -> list[Line]:
    """Draw what stays on the terminal when watch is left: the verdict, and how to go on."""
    report, outcome = rounds.session.report, rounds.outcome
    if report is None:
        return []
    kata = rounds.kata
    if outcome is not None and outcome.following is not None:
        kata = outcome.following
    return [verdict_line(report, look), *next_lines((f"attn-kata watch {kata.id}",), look.language)]


def keys_lines(groups: Sequence[Sequence[tuple[str, str]]], look: Look) -> list[Line]:
    """Draw what every key does, groups of (keys, sentence) apart from each other."""
    room = max(cells(key) for group in groups for key, _ in group) + 2
    lines: list[Line] = []
    for group in groups:
        lines += [[]] if lines else []
        for key, text in group:
            rows = wrap(text, max(12, look.width - room - 2))
            lines.append([(f"  {pad(key, room)}", "code"), (rows[0], "")])
            lines += [[(" " * (room + 2) + row, "")] for row in rows[1:]]
    return lines


def _brief(rounds: Rounds, look: Look) -> list[Line]:
    return markdown_lines(
        rounds.kata.brief(look.language, whole=rounds.outcome is not None), look.width
    )


def _why(rounds: Rounds, look: Look) -> list[Line]:
    mistake = rounds.mistake
    if mistake is None:
        return verdict_lines(rounds, look, keys=True)
    return markdown_lines(page_called(mistake, look.language), look.width)


def _hint(rounds: Rounds, look: Look) -> list[Line]:
    kata, language = rounds.kata, look.language
    if rounds.bug is not None:
        return [[(row, "")] for row in wrap(hint_text(rounds.bug, language), look.width)]
    hints = rounds.hints(language)
    count = len(hints.texts)
    number = min(rounds.hints_seen(hints), count)
    if not number:
        return hints_over_lines(kata.id, count, language, look.width)
    # Without what to type next, which is a key here.
    return hint_lines(kata.id, hints, number, language, look.width)[:-2]


def _spoil(rounds: Rounds, look: Look) -> list[Line]:
    return _told("watch-spoil", look, kata=rounds.kata.id)


def _solution(rounds: Rounds, look: Look) -> list[Line]:
    return solution_lines(rounds.kata.id, rounds.kata.shown, look.language)


def _trace(rounds: Rounds, look: Look) -> list[Line]:
    return _part(rounds, look, trace=True)


def _heat(rounds: Rounds, look: Look) -> list[Line]:
    return _part(rounds, look, heat=True)


def _verdict(rounds: Rounds, look: Look) -> list[Line]:
    return verdict_lines(rounds, look, keys=True)


VIEWS: Mapping[str, Callable[[Rounds, Look], list[Line]]] = {
    "verdict": _verdict,
    "brief": _brief,
    "why": _why,
    "hint": _hint,
    "spoil": _spoil,
    "solution": _solution,
    "trace": _trace,
    "heat": _heat,
}


def _part(rounds: Rounds, look: Look, **wanted: bool) -> list[Line]:
    """Draw what a report has more of where a part of it is asked for."""
    report = rounds.session.report
    if report is None:
        return verdict_lines(rounds, look, keys=True)
    plain = len(report_lines(report, look))
    return report_lines(report, replace(look, **wanted))[plain + 1 :]


def _passed(report: Report, look: Look, outcome: Outcome, *, keys: bool) -> list[Line]:
    """Draw a pass: how long it took, when again, what next."""
    language = look.language
    told = [_took(outcome, language)]
    if outcome.standing.due is not None:
        told.append(say("watch-due", language, when=in_days(outcome.standing.due, language)))
    first, *rest = summary_lines(report, look)
    lines: list[Line] = [first, []]
    lines += [
        [(f"  {row}", "")] for text in filter(None, told) for row in wrap(text, look.width - 2)
    ]
    lines += rest
    if outcome.following is not None and keys:
        title = outcome.following.title[language]
        text = say("watch-next", language, kata=outcome.following.id, title=title)
        lines += [[], *([(f"  {row}", "bold")] for row in wrap(text, look.width - 2))]
    elif outcome.following is not None:
        lines += [[], *next_lines((f"attn-kata watch {outcome.following.id}",), language)]
    return lines


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


def _told(key: str, look: Look, **values: object) -> list[Line]:
    return _bold(say(key, look.language, **values), look)


def _bold(text: str, look: Look) -> list[Line]:
    return [[(row, "bold")] for row in wrap(text, look.width)]
