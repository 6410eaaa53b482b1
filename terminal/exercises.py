"""The exercises with planted bugs, for those who work on the project."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ..kata.catalogue import Kata
from .screen import Screen
from .text import Line, pad, safe

__all__ = ["counted_lines", "proof_lines", "trials_lines", "tried_lines"]

# As wide as the longest name, and two.
_NAMES = 20


class Counted(Protocol):
    """What there is of a kata, as `dev.planting.exercises` counts it."""

    @property
    def kata(self) -> Kata:
        """The kata."""
        ...

    @property
    def hosts(self) -> int:
        """How many right files have bugs."""
        ...

    @property
    def mistakes(self) -> int:
        """How many different mistakes there are."""
        ...

    @property
    def pairs(self) -> int:
        """How many lines are proved."""
        ...


def counted_lines(rows: Sequence[Counted], others: int, screen: Screen) -> list[Line]:
    """Draw a line a kata, and the sum."""
    lines: list[Line] = [
        [(pad(row.kata.id, _NAMES), "bold"), (screen.say(
            "exercises-kata", hosts=row.hosts, mistakes=row.mistakes, pairs=row.pairs), "")]
        for row in rows
    ]  # fmt: skip
    pairs = sum(row.pairs for row in rows)
    key = "exercises-sum-formed" if others else "exercises-sum"
    values = {"sum": pairs + others, "pairs": pairs, "others": others}
    return [*lines, [], [(screen.say(key, **values), "bold")]]


def proof_lines(
    kata: Kata, found: int, tried: int, turned_down: Sequence[str], screen: Screen
) -> list[Line]:
    """Say how many pairs of a kata are proved."""
    text = screen.say("exercises-proved", found=found, tried=tried)
    lines: list[Line] = [[(pad(kata.id, _NAMES), "bold"), (text, "")]]
    files = [f"kata/{kata.id}/debug/{name}.py" for name in turned_down]
    return [*lines, *([(screen.say("exercises-host", file=file), "fail")] for file in files)]


def tried_lines(said: str, fault: str, screen: Screen) -> list[Line]:
    """Say how one exercise fared."""
    style = "fail" if fault else "pass"
    word = screen.say("verdict-fail" if fault else "verdict-pass")
    return [[(pad(word, 6), style), (safe(f"{said}  {fault}".rstrip()), "")]]


def trials_lines(good: int, count: int, screen: Screen) -> list[Line]:
    """Say how many fared well."""
    return [[], [(screen.say("exercises-trials", good=good, count=count), "bold")]]
