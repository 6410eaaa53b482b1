"""What a candidate types: a few words are commands, anything else is said to the interviewer."""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import cache
from typing import Any

from .hearing.tokens import plain
from .texts import table

__all__ = ["TYPED", "WORDS", "command_in", "command_said", "meant", "ticks_in"]

# The first is the word that help shows, by language; each is understood in either.
WORDS: dict[str, dict[str, str]] = {
    "start": {"en": "start", "zh": "开始"},
    "submit": {"en": "submit", "zh": "提交"},
    "run": {"en": "run", "zh": "运行"},
    "hint": {"en": "hint", "zh": "提示"},
    "more": {"en": "more", "zh": "细说"},
    "skip": {"en": "skip", "zh": "跳过"},
    "brief": {"en": "brief", "zh": "题目"},
    "file": {"en": "file", "zh": "文件"},
    "restore": {"en": "restore", "zh": "恢复"},
    "leave": {"en": "leave", "zh": "离开"},
    "end": {"en": "end", "zh": "结束"},
    "time": {"en": "time", "zh": "时间"},
    "help": {"en": "help", "zh": "帮助"},
}
_TAKES_MORE = {"file"}
# What there is to type, by where the interview stands: what `help` explains, row by row.
_ALWAYS = ("time", "leave", "end")
_CODING = ("submit", "run", "hint", "more", "skip", "brief", "file", "restore")
TYPED: dict[str, tuple[str, ...]] = {
    "brief": ("start", "brief", *_ALWAYS),
    "open": (*_CODING, *_ALWAYS),
    "bugs": ("claim", *_CODING, *_ALWAYS),
    "question": ("skip", "brief", *_ALWAYS),
}


def command_in(line: str) -> tuple[str, str]:
    """Return the command of a line and what follows it; "" where it is no command."""
    first, _, rest = line.strip().partition(" ")
    for name, words in WORDS.items():
        if first.lower() in words.values() and (not rest or name in _TAKES_MORE):
            return name, rest.strip()
    return "", ""


def command_said(line: str) -> str:
    """Return the command that a whole line asks for in other words: `let's start`; "" if none."""
    said = plain(line)
    for key in ("fillers", "fillers_zh", "fillers"):
        said = re.sub(_spoken()[key], "", said)
    said = said.replace(",", "").strip()
    return next(
        (name for name, ways in _ways() if any(re.fullmatch(way, said) for way in ways)), ""
    )


@cache
def _ways() -> tuple[tuple[str, tuple[str, ...]], ...]:
    rows = _spoken().items()
    return tuple((name, tuple(ways)) for name, ways in rows if not isinstance(ways, str))


def _spoken() -> dict[str, Any]:
    found: dict[str, Any] = table("hearing/acts.toml")["command"]
    return found


def meant(line: str) -> str | None:
    """Return the command that a single word nearly is."""
    if len(line.split()) != 1:
        return None
    near = get_close_matches(line.strip().lower(), WORDS, n=1, cutoff=0.7)
    return near[0] if near else None


def ticks_in(line: str, count: int) -> tuple[int, ...] | None:
    """Return the points that a line ticks, from 1; None where it is no list of numbers."""
    low = line.strip().lower()
    if low in {"all", "全部", "都有"}:
        return tuple(range(1, count + 1))
    if low in {"", "0", "none", "没有", "无"}:
        return ()
    parts = low.replace(",", " ").replace("，", " ").replace("、", " ").split()
    if not all(part.isascii() and part.isdigit() for part in parts):
        return None
    numbers = sorted({int(part) for part in parts})
    within = numbers[0] > 0 and numbers[-1] <= count
    return tuple(numbers) if within else None
