"""An exercise, worked out from the first line of its file: which file, which lines are wrong.

    # attn-kata: mha debug 31 bugs 2 level mid take 1 form 3 key 5f3a91

take: which of the draws from the seed it is, where the judge did not find the bugs of the ones
before it; form: how the file is rewritten, nothing where it is as it was written; key: of what was
handed out, so that a version with other files does not take it for its own.
"""

from __future__ import annotations

import hashlib
import random
import re
from dataclasses import dataclass, replace
from pathlib import Path

from ...kata.catalogue import Kata, UnknownKata, find
from ..errors import Refusal
from .bugs import LEVELS, Bug, bugs, host
from .forms import rewritten

__all__ = [
    "MOST", "Exercise", "Order", "Planted", "exercise_called", "exercise_in", "most", "worked_out",
]  # fmt: skip

MOST = 5
_HEADER = re.compile(
    r"#\s*attn-kata: (?P<kata>[\w-]+) debug (?P<seed>\d+) bugs (?P<count>[1-5])"
    r"(?: level (?P<level>junior|mid|senior))?(?: take (?P<take>\d+))?(?: form (?P<form>\d+))?"
    r" key (?P<key>[0-9a-f]{6})\s*$"
)
_LARGEST = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What an exercise is worked out from. level: one of LEVELS, or empty for any."""

    kata: Kata
    seed: int
    count: int = 1
    level: str = ""
    take: int = 0
    form: int = 0

    @property
    def said(self) -> str:
        """The order as the file's first line has it, without its key."""
        words = [f"{self.kata.id} debug {self.seed} bugs {self.count}"]
        words += [f"level {self.level}"] if self.level else []
        words += [f"take {self.take}"] if self.take else []
        words += [f"form {self.form}"] if self.form else []
        return " ".join(words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """A bug in the file that is handed out: its line there, as it stands and as it should."""

    mistake: str
    level: str
    line: int
    wrong: str
    right: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Exercise:
    """A file with bugs. lines: as handed out, the first one being the order."""

    order: Order
    lines: tuple[str, ...]
    planted: tuple[Planted, ...]

    @property
    def text(self) -> str:
        """The whole file."""
        return "\n".join(self.lines) + "\n"

    def mended(self, *places: int) -> str:
        """Return the file with some of its bugs mended, by their places among the planted."""
        lines = list(self.lines)
        for place in places:
            one = self.planted[place]
            lines[one.line - 1] = one.right
        return "\n".join(lines) + "\n"


def most(kata: Kata, level: str) -> int:
    """Return how many bugs an exercise of a kata can have."""
    by_host: dict[str, list[Bug]] = {}
    for bug in _of_level(kata, level):
        by_host.setdefault(bug.host, []).append(bug)
    return min(MOST, max((len(_apart(rows)) for rows in by_host.values()), default=0))


def worked_out(order: Order) -> Exercise | None:
    """Return an order's exercise; None where its form changes more than the form of the file.

    Raise Refusal where a kata has no exercise with so many bugs.
    """
    possible = most(order.kata, order.level)
    if order.count > possible:
        key = "debug-too-many" if possible else "debug-none"
        commands = (f"debug {order.kata.id} --bugs {possible}",) if possible else ("debug",)
        level = order.level or "any"
        raise Refusal(
            key, kata=order.kata.id, count=order.count, most=possible, level=level,
            commands=commands,
        )  # fmt: skip
    chosen = _chosen(order)
    right = host(order.kata, chosen[0].host).splitlines()
    wrong = list(right)
    for bug in chosen:
        wrong[bug.line - 1] = bug.wrong
    places = [bug.line for bug in chosen]
    if order.form:
        formed = rewritten(right, wrong, places, order.form)
        if formed is None:
            return None
        right, wrong, places = formed
    planted = tuple(
        Planted(
            mistake=bug.mistake, level=bug.level, line=place + 1,
            wrong=wrong[place - 1], right=right[place - 1],
        )
        for bug, place in zip(chosen, places, strict=True)
    )  # fmt: skip
    return Exercise(
        order=order,
        lines=(f"# attn-kata: {order.said} key {_key(wrong)}", *wrong),
        planted=tuple(sorted(planted, key=lambda one: one.line)),
    )


def exercise_in(file: Path) -> Exercise | None:
    """Return the exercise that a file says it is; None where it is none, or another version's."""
    try:
        if not file.is_file() or file.stat().st_size > _LARGEST:
            return None
        with file.open(encoding="utf-8-sig") as stream:
            first = stream.readline(400)
    except (OSError, UnicodeDecodeError):
        return None
    return exercise_called(first)


def exercise_called(first: str) -> Exercise | None:
    """Return the exercise of a file's first line; None where it says none of this version's."""
    found = _HEADER.match(first.strip())
    if found is None:
        return None
    try:
        order = Order(
            kata=find(found["kata"]),
            seed=int(found["seed"]),
            count=int(found["count"]),
            level=found["level"] or "",
            take=int(found["take"] or 0),
            form=int(found["form"] or 0),
        )
        exercise = worked_out(order)
    except (UnknownKata, Refusal):
        return None
    same = exercise is not None and exercise.lines[0].split()[-1] == found["key"]
    return exercise if same else None


def _chosen(order: Order) -> list[Bug]:
    """Draw a file and bugs on lines of their own, no two of one name."""
    plain = replace(order, form=0)
    draw = random.Random(plain.said)  # noqa: S311 - the same seed gives the same file
    by_host: dict[str, list[Bug]] = {}
    for bug in _of_level(order.kata, order.level):
        by_host.setdefault(bug.host, []).append(bug)
    names = sorted(name for name, rows in by_host.items() if len(_apart(rows)) >= order.count)
    while True:
        rows = list(by_host[draw.choice(names)])
        # A name that stands in many places of a file is drawn no oftener for that.
        mistakes = sorted({bug.mistake for bug in rows})
        draw.shuffle(mistakes)
        found: list[Bug] = []
        for mistake in mistakes:
            free = [
                bug for bug in rows
                if bug.mistake == mistake and bug.line not in {one.line for one in found}
            ]  # fmt: skip
            if free:
                found.append(draw.choice(free))
            if len(found) == order.count:
                return sorted(found, key=lambda bug: bug.line)


def _of_level(kata: Kata, level: str) -> list[Bug]:
    assert level in {"", *LEVELS}
    return [bug for bug in bugs(kata) if level in {"", bug.level}]


def _apart(rows: list[Bug]) -> list[Bug]:
    """As many bugs as can stand in one file however they are drawn: one a line and a name."""
    found: list[Bug] = []
    for bug in rows:
        if all(bug.line != one.line and bug.mistake != one.mistake for one in found):
            found.append(bug)
    return found


def _key(lines: list[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:6]
