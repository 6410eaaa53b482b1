"""Whether a sentence asks the interviewer for something, or is said to oneself."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from ..texts import table

__all__ = ["CJK", "asks", "keywords"]

# A character of Chinese.
CJK = re.compile(r"[\u4e00-\u9fff]")
_LISTED = 3


def asks(sentence: str) -> bool:
    """Whether a plain sentence wants an answer: a question, or an assumption to be confirmed."""
    chinese = "_zh" if CJK.search(sentence) else ""
    if _fits(f"aside{chinese}", sentence):
        return False
    marked = sentence.rstrip().endswith(("?", "？"))
    return marked or _fits(f"asks{chinese}", sentence) or _fits(f"assumes{chinese}", sentence)


def keywords(sentence: str) -> bool:
    """Whether a plain sentence is a list of words, which asks for nothing."""
    if CJK.search(sentence):
        parts = [part for part in re.split(r"[\s,，、/?？]+", sentence) if part]
        return len(parts) >= _LISTED and not re.search(_acts()["glue_zh"], sentence)
    words = re.findall(r"[a-z_]+", sentence)
    return len(words) >= _LISTED and not set(words) & set(_acts()["glue"].split())


def _fits(group: str, sentence: str) -> bool:
    return _pattern(group).search(sentence) is not None


@cache
def _pattern(group: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{one})" for one in _acts()[group]))


def _acts() -> dict[str, Any]:
    return table("hearing/acts.toml")
