"""How far a person is: the history in figures and small plots, and what is due."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Sequence

from ..kata.catalogue import Kata, katas
from ..practice.history import Attempt
from ..practice.schedule import Due, Standing, due, following, standings
from ..practice.sittings import Sitting
from ..practice.summary import DAYS, FIELDS, WEEKS, Summary, rows
from .lists import next_lines
from .screen import Screen, speaks_utf8
from .text import Line, cells, pad, safe, wrap
from .times import ago, duration, in_days, short_time
from .words import knows, say

__all__ = [
    "attempt_lines",
    "due_lines",
    "history_lines",
    "kata_history_lines",
    "nothing_due_lines",
    "plot",
    "show_due",
    "show_history",
]

_BARS = "▁▂▃▄▅▆▇█"
_MOST_MISTAKES = 8
_MOST_ATTEMPTS = 12
_VERDICTS = ("pass", "fail", "error")
_LEAST = 24


def show_history(screen: Screen, told: Summary, kata: Kata | None, form: str | None) -> None:
    """Print the history, for a person or, as json or csv, for a program."""
    if form == "json":
        screen.write(json.dumps(told.to_dict(), ensure_ascii=not speaks_utf8(sys.stdout)))
    elif form == "csv":
        text = io.StringIO()
        table = csv.DictWriter(text, FIELDS, lineterminator="\n")
        table.writeheader()
        for row in rows(told.attempts):
            table.writerow(row | {"mistakes": " ".join(row["mistakes"])})
        screen.write(text.getvalue().removesuffix("\n"))
    elif kata is None:
        screen.print(history_lines(told, screen.language, screen.width))
    else:
        screen.print(kata_history_lines(kata, told, screen.language, screen.width))


def show_due(screen: Screen, told: Sequence[Sitting]) -> None:
    """Print what is due today, or when something will be."""
    found = due(told)
    if found:
        screen.print(due_lines(found, screen.language, screen.width))
        return
    new = following("", told)
    screen.print(nothing_due_lines(standings(told), new, screen.language, screen.width))


def plot(counts: Sequence[int]) -> str:
    """Draw a row of counts, one character each; nothing happened where it is a dot."""
    highest = max(counts, default=0)
    steps = len(_BARS) - 1
    return "".join(_BARS[round(count / highest * steps)] if count else "·" for count in counts)


def history_lines(told: Summary, language: str, width: int) -> list[Line]:
    """Draw all katas: the totals, a line each, checks a day, mistakes a week."""
    if not told.attempts:
        return _nothing(say("history-none", language), "attn-kata watch v1", language, width)
    lines: list[Line] = [[(row, "bold")] for row in wrap(_head(told, language), width)]
    lines.append([])
    names = [name for name, count in told.checks.items() if count]
    room = max(map(len, names)) + 2
    facts = {name: _facts(name, told, language) for name in names}
    states = max(cells(first) for first, *_ in facts.values())
    for name, (first, *more) in facts.items():
        lines += _spread(f"  {pad(name, room)}", [pad(first, states), *more], width)
    highest = max(told.days)
    title = say("history-days", language, count=DAYS, highest=highest)
    lines += [[], *([(row, "")] for row in wrap(title, width)), [(f"  {plot(told.days)}", "code")]]
    lines += _habits(told, language, width)
    return [*lines, [], *next_lines(("attn-kata due", "attn-kata watch"), language)]


def kata_history_lines(kata: Kata, told: Summary, language: str, width: int) -> list[Line]:
    """Draw one kata: how it stands, its latest checks, its mistakes."""
    if not told.attempts:
        words = say("history-none-of", language, kata=kata.id)
        return _nothing(words, f"attn-kata watch {kata.id}", language, width)
    lines: list[Line] = _spread(f"{kata.id}  ", _facts(kata.id, told, language), width, "bold")
    lines.append([])
    earlier = len(told.attempts) - _MOST_ATTEMPTS
    if earlier > 0:
        lines.append([(f"  {say('history-more', language, count=earlier)}", "dim")])
    for attempt in told.attempts[-_MOST_ATTEMPTS:]:
        lines += attempt_lines(attempt, language, width)
    lines += _habits(told, language, width)
    last = "pass" if told.attempts[-1].verdict == "pass" else "check"
    following = (
        ("attn-kata due", "attn-kata watch") if last == "pass" else (f"attn-kata watch {kata.id}",)
    )
    return [*lines, [], *next_lines(following, language)]


def attempt_lines(
    attempt: Attempt, language: str, width: int, *, named: bool = False
) -> list[Line]:
    """Draw one check: when, the verdict, and what was wrong. named: with its kata."""
    word = say(f"verdict-{attempt.verdict}", language)
    style = "pass" if attempt.verdict == "pass" else "fail"
    head = f"  {short_time(attempt.time, language)}  " + (f"{attempt.kata}  " if named else "")
    room = max(cells(say(f"verdict-{each}", language)) for each in _VERDICTS) + 2
    dent = cells(head) + room
    # A narrow screen has it below.
    dent = dent if width - dent >= _LEAST else 4
    first, *others = wrap(_what(attempt, language), width - dent)
    lines: list[Line] = [[(head, "dim"), (pad(word, room), style), (first, "")]]
    if dent == 4:
        lines = [[(head, "dim"), (word, style)]]
        others = [first, *others]
    return [*lines, *([(" " * dent + row, "")] for row in others)]


def _what(attempt: Attempt, language: str) -> str:
    """Say what was wrong, or which file was right."""
    if attempt.mistakes:
        return " ".join(attempt.mistakes)
    if attempt.verdict != "error":
        return safe(attempt.file.rsplit("/", 1)[-1])
    key = f"fault-{attempt.fault}"
    if attempt.exception and knows(f"{key}-by"):
        key += "-by"
    name = safe(attempt.exception)
    text = say(key, language, exception=name) if knows(key) else safe(attempt.fault)
    return say("fault-at", language, line=attempt.line, reason=text) if attempt.line else text


def due_lines(found: Sequence[Due], language: str, width: int) -> list[Line]:
    """Draw what to write today, and why."""
    key = "due-head-1" if len(found) == 1 else "due-head"
    lines: list[Line] = [[(say(key, language, count=len(found)), "bold")], []]
    room = max(len(one.kata.id) for one in found) + 2
    for one in found:
        lines += _spread(f"  {pad(one.kata.id, room)}", _reasons(one, language), width)
    return [*lines, [], *next_lines(("attn-kata start --due", "attn-kata watch"), language)]


def nothing_due_lines(
    standing: dict[str, Standing], following: Kata | None, language: str, width: int
) -> list[Line]:
    """Say when something will be due, and what new there is."""
    coming = sorted((stand.due, name) for name, stand in standing.items() if stand.due is not None)
    parts = [say("due-nothing" if coming else "due-first", language)]
    if coming:
        moment, name = coming[0]
        parts.append(say("due-next", language, kata=name, when=in_days(moment, language)))
    lines: list[Line] = [[(row, "bold")] for row in wrap(parts[0], width)]
    lines += [[(f"  {row}", "")] for part in parts[1:] for row in wrap(part, width - 2)]
    if following is not None and standing[following.id].state != "passed":
        title = following.title[language]
        key = f"due-all-{standing[following.id].state}"
        words = say(key, language, kata=following.id, title=title)
        lines += [[(f"  {row}", "")] for row in wrap(words, width - 2)]
        lines += [[], *next_lines((f"attn-kata watch {following.id}",), language)]
    return lines


def _head(told: Summary, language: str) -> str:
    key = f"streak-{told.streak}" if told.streak < 2 else "streak-many"
    row = say(key, language, count=told.streak)
    return say(
        "history-head", language, katas=told.katas_passed, all=len(katas()),
        checks=len(told.attempts), passed=told.passed, streak=row,
    )  # fmt: skip


def _facts(name: str, told: Summary, language: str) -> list[str]:
    stand = told.standing.get(name, Standing())
    count = told.checks[name]
    checks = say("history-checks-1" if count == 1 else "history-checks", language, count=count)
    facts = [say(f"state-{stand.state}", language), checks]
    first = told.first_pass.get(name)
    if first is not None and first.seconds is not None:
        time = duration(first.seconds, language)
        facts.append(say("history-first-in", language, number=first.checks, time=time))
    elif first is not None:
        facts.append(say("history-first", language, number=first.checks))
    if stand.best is not None:
        facts.append(say("best", language, time=duration(stand.best, language)))
    if stand.due is not None:
        facts.append(say("due-on", language, when=in_days(stand.due, language)))
    return facts


def _habits(told: Summary, language: str, width: int) -> list[Line]:
    most = told.habits[:_MOST_MISTAKES]
    if not most:
        return []
    title = say("history-mistakes", language, count=WEEKS)
    lines: list[Line] = [[], *([(row, "")] for row in wrap(title, width))]
    room = min(max(len(one.name) for one in most), width - WEEKS - 10)
    for one in most:
        lines.append([
            (f"  {pad(one.name[:room], room)}  ", ""), (pad(str(one.count), 3, right=True), "bold"),
            (f"  {plot(one.weeks)}", "code"),
        ])  # fmt: skip
        last = f"  {ago(one.last, language)}"
        if room + WEEKS + 9 + cells(last) <= width:
            lines[-1].append((last, "dim"))
    return lines


def _reasons(one: Due, language: str) -> list[str]:
    reasons: list[str] = []
    last = ago(one.standing.last or 0.0, language)
    if one.why == "review":
        percent = round(100 * (one.standing.recall or 0.0))
        reasons.append(say("due-review", language, when=last, percent=percent))
    if one.why == "unfinished":
        reasons.append(say("due-unfinished", language, when=last))
    if one.mistake is not None:
        reasons.append(say("due-drill", language, mistake=one.mistake, count=one.times))
    return reasons


def _spread(head: str, parts: Sequence[str], width: int, style: str = "code") -> list[Line]:
    """Draw parts beside a head, as many on a line as have room."""
    dent = cells(head)
    spread: list[str] = []
    for part in parts:
        if spread and cells(spread[-1]) + 3 + cells(part) <= width - dent:
            spread[-1] += f"   {part}"
        else:
            spread += wrap(part, max(16, width - dent))
    first: Line = [(head, style), (spread[0], "")]
    return [first, *([(" " * dent + row, "")] for row in spread[1:])]


def _nothing(words: str, command: str, language: str, width: int) -> list[Line]:
    head: list[Line] = [[(row, "bold")] for row in wrap(words, width)]
    return [*head, [], *next_lines((command,), language)]
