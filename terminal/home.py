"""What a person sees who types the program's name alone, and what `next` says."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from ..kata.catalogue import Kata, katas
from ..practice.onward import Place, Step
from .lists import command_lines, next_lines, started_lines
from .screen import Screen
from .text import Line, cells, quoted, safe, wrap

__all__ = ["entered", "going_on_lines", "home_lines", "taken_lines"]


def home_lines(place: Place, screen: Screen, editor: Sequence[str], *, asked: bool) -> list[Line]:
    """Draw how far one is and the one thing to do next.

    asked: whether Enter does it; else the command is named. editor: what Enter opens too.
    """
    lines = [] if place.tried else _welcome(screen)
    if place.tried:
        lines += _wrapped(_standing(place, screen), screen, "bold")
    step = place.step
    if step is None:
        onward = next_lines(("attn-kata interview", "attn-kata watch v1"), screen.language)
        return [*lines, *_wrapped(screen.say("home-done"), screen), [], *onward]
    lines += [[], *_step_lines(step, screen), []]
    if not asked:
        return [*lines, *next_lines(_commands(step), screen.language)]
    key = "home-on" if step.why == "unfinished" else "home-enter"
    key += "-edit" if editor else ""
    values = {"kata": step.kata.id, "editor": safe(editor[0] if editor else "")}
    return [*lines, *_wrapped(screen.say(key, **values), screen)]


def entered(screen: Screen) -> bool:
    """Wait for Enter; whether nothing else was typed. An interruption ends the line first."""
    try:
        return sys.stdin.readline() == "\n"
    except KeyboardInterrupt:
        screen.tell([[]])
        raise


def taken_lines(kata: Kata, file: str, backup: str | None, screen: Screen) -> list[Line]:
    """Say that a stub was handed out."""
    return started_lines(kata, file, backup, screen.language, screen.width)


def going_on_lines(step: Step, screen: Screen) -> list[Line]:
    """Say where to go on."""
    return [*_step_lines(step, screen), [], *next_lines(_commands(step), screen.language)]


def _welcome(screen: Screen) -> list[Line]:
    first = katas()[0].id
    rows = (("list", "start-list"), (f"show {first}", "start-show"), ("demo", "start-demo"),
            ("--help", "start-help"))  # fmt: skip
    pairs = [(screen.typed(f"attn-kata {command}"), screen.say(key)) for command, key in rows]
    lines = _wrapped(screen.say("start-title"), screen, "bold")
    return [*lines, [], *command_lines(pairs, screen.width), [],
            [(screen.say("start-language"), "dim")]]  # fmt: skip


def _standing(place: Place, screen: Screen) -> str:
    key = "home-due" if place.due else "home-due-none"
    due = screen.say(key, names=" ".join(place.due))
    return screen.say("home-passed", passed=place.passed, count=place.count, due=due)


def _step_lines(step: Step, screen: Screen) -> list[Line]:
    kata, language = step.kata, screen.language
    head = f"  {kata.id}  "
    minutes = screen.say("list-minutes", minutes=kata.minutes)
    title = screen.say("step-title", title=kata.title[language], minutes=minutes)
    titles = wrap(title, screen.width - cells(head))
    kept = step.there and step.why != "unfinished"
    key = f"step-{step.why}" + ("-again" if kept or step.again else "")
    told = wrap(screen.say(key, file=safe(str(step.file))), screen.width - cells(head))
    blank = " " * cells(head)
    lines: list[Line] = [
        [(blank if at else head, "code"), (row, "bold")] for at, row in enumerate(titles)
    ]
    return [*lines, *([(blank + row, "")] for row in told)]


def _commands(step: Step) -> tuple[str, ...]:
    if step.why == "due":
        # A fresh stub first: `watch` would go on with what is there.
        return ("attn-kata next", f"attn-kata watch {step.kata.id}")
    plain = str(step.file) == f"{step.kata.id}.py"
    named = step.kata.id if plain else f"{step.kata.id} {quoted(str(step.file))}"
    return (f"attn-kata watch {named}",)


def _wrapped(text: str, screen: Screen, style: str = "") -> list[Line]:
    return [[(row, style)] for row in wrap(text, screen.width)]
