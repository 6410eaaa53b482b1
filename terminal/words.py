"""Every sentence the commands say, in English and Chinese.

Plain words, lower case, no full stop; code stands in backticks.
"""

from __future__ import annotations

from functools import cache

from ..checker import Said
from ..sentences.plurals import filled
from ..sentences.wording import sentence, spelt
from .text import safe

__all__ = ["in_words", "knows", "messages", "say"]


@cache
def messages() -> dict[str, dict[str, str]]:
    """Return all sentences, by key and language."""
    from . import (
        words_commands,
        words_debug,
        words_grade,
        words_help,
        words_interview,
        words_learn,
        words_practice,
        words_report,
        words_result,
        words_watch,
        words_workspace,
    )

    rows = (
        *words_report.ROWS,
        *words_commands.ROWS,
        *words_debug.ROWS,
        *words_grade.ROWS,
        *words_practice.ROWS,
        *words_watch.ROWS,
        *words_workspace.ROWS,
        *words_help.ROWS,
        *words_interview.ROWS,
        *words_result.ROWS,
        *words_learn.ROWS,
    )
    return {key: {"en": english, "zh": chinese} for key, english, chinese in rows}


def say(key: str, language: str, **values: object) -> str:
    """Return a sentence in a language, filled in; a notebook's line is told by its cell."""
    form = messages()[key][language]
    return filled(form, **spelt(values, language)) if values else form


def in_words(said: Said, language: str) -> str:
    """Return what a report says, with nothing in it that steers a terminal."""
    return safe(sentence(said, language))


def knows(key: str) -> bool:
    """Whether there is a sentence under this key."""
    return key in messages()
