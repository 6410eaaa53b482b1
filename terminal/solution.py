"""A model answer on the screen, alone or beside one's own."""

from __future__ import annotations

from difflib import unified_diff

from .text import Line, safe
from .words import say

__all__ = ["diff_lines", "solution_lines"]

_STYLES = {"-": "wrong", "+": "right", "@": "dim"}


def solution_lines(kata: str, source: str, language: str) -> list[Line]:
    """Draw a model answer."""
    head = say("solution-title", language, kata=kata)
    return [[(f"# {head}", "dim")], [], *([(row, "")] for row in source.splitlines())]


def diff_lines(file: str, mine: str, answer: str, language: str) -> list[Line]:
    """Draw what the model answer has that one's own has not, and the other way round."""
    ours = safe(say("solution-yours", language, file=file))
    theirs = say("solution-answer", language)
    rows = list(unified_diff(mine.splitlines(), answer.splitlines(), ours, theirs, lineterm=""))
    if not rows:
        return [[(say("solution-same", language), "bold")]]
    lines: list[Line] = [[(row, "bold")] for row in rows[:2]]
    for row in rows[2:]:
        text = row[:1] + safe(row[1:].expandtabs(4))
        lines.append([(text, _STYLES.get(row[:1], ""))])
    return lines
