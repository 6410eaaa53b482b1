"""Hints, what to type next, and what the doctor found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..kata.catalogue import Kata
from ..practice.hints import Hints
from .brief import markdown_lines
from .text import Line, cells, pad, quoted, safe, wrap
from .words import say

__all__ = [
    "Finding",
    "command_lines",
    "doctor_lines",
    "hint_lines",
    "hints_over_lines",
    "next_lines",
    "started_lines",
]


# Columns that a text beside its command needs to read well.
_BESIDE = 28


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing the doctor looked at. fine: nothing to do about it."""

    name: str
    text: str
    fine: bool = True


def command_lines(pairs: Sequence[tuple[str, str]], width: int) -> list[Line]:
    """Draw commands with what they do, beside them or, on a narrow screen, below."""
    room = max(cells(command) for command, _ in pairs) + 2
    lines: list[Line] = []
    for command, text in pairs:
        if width - room - 2 < _BESIDE:
            lines.append([("  ", ""), (command, "code")])
            lines += [[(f"    {row}", "")] for row in wrap(text, width - 4)]
            continue
        first, *rest = wrap(text, width - room - 2)
        lines.append([("  ", ""), (pad(command, room), "code"), (first, "")])
        lines += [[(" " * (room + 2) + row, "")] for row in rest]
    return lines


def doctor_lines(findings: Sequence[Finding], language: str, width: int) -> list[Line]:
    """Draw one line a finding, the word first."""
    words = {True: say("doctor-fine", language), False: say("doctor-bad", language)}
    label = max(map(cells, words.values()))
    names = [say(f"doctor-{finding.name}", language) for finding in findings]
    room = max(map(cells, names))
    lines: list[Line] = []
    for finding, name in zip(findings, names, strict=True):
        style = "pass" if finding.fine else "fail"
        lead = label + room + 4
        first, *rest = wrap(safe(finding.text), max(12, width - lead))
        lines.append([
            (f"{pad(words[finding.fine], label)}  ", style), (f"{pad(name, room)}  ", "bold"),
            (first, ""),
        ])  # fmt: skip
        lines += [[(" " * lead + row, "")] for row in rest]
    return [*lines, [], *next_lines(("attn-kata watch",), language)]


def started_lines(
    kata: Kata, file: str, backup: str | None, language: str, width: int
) -> list[Line]:
    """Say where a kata's file is and what to do with it."""
    title = kata.title[language]
    head = say("started", language, file=safe(file), title=title)
    lines: list[Line] = [[(row, "bold")] for row in wrap(head, width)]
    if backup is not None:
        told = say("started-backup", language, file=safe(backup))
        lines += [[(row, "")] for row in wrap(told, width)]
    told = say("started-class", language, names=[f"`{name}`" for name in kata.names])
    lines += [[(row, "")] for row in wrap(told, width)]
    # In this folder the kata's name finds its file.
    named = kata.id if file == f"{kata.id}.py" else f"{kata.id} {quoted(file)}"
    commands = (
        f"attn-kata learn {kata.id}",
        f"attn-kata show {kata.id}",
        f"attn-kata watch {named}",
        f"attn-kata check {named}",
    )
    return [*lines, [], *next_lines(commands, language)]


def next_lines(commands: Sequence[str], language: str) -> list[Line]:
    """Draw what to type next; a command is never broken, so that it can be copied."""
    label = say("next", language)
    blank = " " * cells(label)
    return [
        [(f"  {blank if at else label}  ", "dim"), (command, "code")]
        for at, command in enumerate(commands)
    ]


def hint_lines(
    kata: str, hints: Hints, number: int, language: str, width: int, *, shell: bool = True
) -> list[Line]:
    """Draw one hint; shell: and what to type after it there."""
    count = len(hints.texts)
    key = "hint-title-step" if hints.step else "hint-title"
    head = say(key, language, kata=kata, number=number, count=count)
    more = (f"attn-kata hint {kata} {number + 1}",) if number < count else ()
    told = [[(head, "bold")], [], *markdown_lines(hints.texts[number - 1], width, 2)]
    onward = next_lines((*more, f"attn-kata watch {kata}"), language)
    return [*told, [], *onward] if shell else told


def hints_over_lines(kata: str, count: int, language: str, width: int) -> list[Line]:
    """Say that all hints were seen."""
    told = say("hint-all-seen", language, kata=kata, count=count)
    names = ("hint {} 1", "solution {}", "watch {}")
    commands = tuple(f"attn-kata {name.format(kata)}" for name in names)
    return [*([(row, "bold")] for row in wrap(told, width)), [], *next_lines(commands, language)]
