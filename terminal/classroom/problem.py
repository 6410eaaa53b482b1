"""Why an answer of a class could not be judged."""

from __future__ import annotations

from ...classroom.graded import Graded
from ...sentences.wording import headline
from ..words import say

__all__ = ["problem_of"]


def problem_of(row: Graded, language: str) -> str:
    """Say why an answer could not be judged; nothing where it was."""
    if not row.answer.problem:
        return ""
    reason = headline(row.answer.reason, language)
    return say(f"round-{row.answer.problem}", language, reason=reason)
