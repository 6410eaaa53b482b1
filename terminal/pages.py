"""The pages on mistakes and remarks as a list, each with a sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..practice.pages import Group, page_called
from .brief import blocks
from .lists import command_lines, next_lines
from .screen import Screen
from .text import Line, wrap

__all__ = ["first_sentence", "pages_lines"]

# What a page on a remark opens with, in either language.
_REMARK = re.compile(r"A remark[^.:]*[.:]\s+|这是一条备注[^：。]*[：。]")
_END = re.compile(r"\.\s+(?=[A-Z`])|。|\.$")


def pages_lines(groups: Sequence[Group], screen: Screen) -> list[Line]:
    """Draw groups of pages: a title each, then the names with what they are about."""
    lines: list[Line] = [[(row, "bold")] for row in wrap(screen.say("pages-title"), screen.width)]
    for group in groups:
        pairs = [(name, first_sentence(page_called(name, screen.language))) for name in group.names]
        lines += [[], *([(row, "bold")] for row in wrap(_title(group, screen), screen.width))]
        lines += command_lines(pairs, screen.width)
    return [*lines, [], *next_lines((f"attn-kata explain {groups[0].names[0]}", "attn-kata watch"),
                                    screen.language)]  # fmt: skip


def first_sentence(text: str) -> str:
    """Return the sentence with which a page says what it is about, without its full stop."""
    told = next(content for kind, content in blocks(text) if kind == "text")
    return _END.split(_REMARK.sub("", told, count=1), maxsplit=1)[0]


def _title(group: Group, screen: Screen) -> str:
    if group.kata is not None:
        return f"{group.kata.id}  {group.kata.title[screen.language]}"
    return screen.say(f"pages-{group.about}")
