"""Checks that are taken out of the history: which they are, and whether one may."""

from __future__ import annotations

from collections.abc import Sequence

from ..practice.errors import Refusal
from ..practice.history import Attempt
from .lists import next_lines
from .progress import attempt_lines
from .screen import Screen
from .text import Line, wrap

__all__ = ["agreed", "forgotten_lines", "nothing_lines"]

_MOST = 12


def nothing_lines(kata: str | None, screen: Screen) -> list[Line]:
    """Say that there is nothing to take out."""
    text = screen.say("history-none-of", kata=kata) if kata else screen.say("history-none")
    return [[(row, "bold")] for row in wrap(text, screen.width)]


def agreed(
    screen: Screen, chosen: Sequence[Attempt], kata: str | None, *, everything: bool
) -> bool:
    """Show what would go and ask. Raise Refusal where there is nobody to ask."""
    count = len(chosen)
    if not screen.may_ask:
        many = "--all" if everything else f"--last {count}"
        command = " ".join(filter(None, ("forget", kata, many, "--yes")))
        raise Refusal("forget-needs-yes", count=count, commands=(command,))
    screen.tell([[(screen.say("forget-these", count=count), "bold")], *_rows(chosen, screen), []])
    return screen.ask(screen.say("forget-ask", count=count))


def forgotten_lines(chosen: Sequence[Attempt], screen: Screen) -> list[Line]:
    """Say what is gone."""
    onward = [[], *next_lines(("attn-kata history", "attn-kata watch"), screen.language)]
    if len(chosen) == 1:
        return [[(screen.say("forget-gone-1"), "bold")], *_rows(chosen, screen), *onward]
    return [[(screen.say("forget-gone", count=len(chosen)), "bold")], *onward]


def _rows(chosen: Sequence[Attempt], screen: Screen) -> list[Line]:
    language, width = screen.language, screen.width
    earlier = len(chosen) - _MOST
    more = [[(f"  {screen.say('forget-more', count=earlier)}", "dim")]] if earlier > 0 else []
    shown = chosen[-_MOST:]
    return [
        *more,
        *(line for one in shown for line in attempt_lines(one, language, width, named=True)),
    ]
