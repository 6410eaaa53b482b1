"""What was done with exercises: begun, claimed, hinted, mended, answered. Told from the history."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...kata.catalogue import katas
from .. import clock
from ..history import Attempt, Event

__all__ = ["DueBugs", "Held", "due_bugs", "held", "wrong_before"]

# Days until bugs are looked for again in a kata, by how many exercises in a row were clean.
_DAYS = (3, 7, 14, 30, 60)
# So many hints there are on a bug; what was noted before does not say which one a hint was on.
_HINTS = 3


@dataclass(slots=True, kw_only=True)
class Held:
    """One exercise. right: lines claimed rightly; missed: what the answer had to show.

    words: what was said of a line, in words of one's own, when it was claimed rightly. turned_down:
    wrong claims, by line and name; 0 stands for lines written since.
    hinted: the places of the bugs that hints were on. ended: when it was solved or answered, None
    while it goes on. solved: whether it was mended without its answer.
    """

    kata: str
    key: str
    order: str
    file: str
    began: float
    last: float
    hinted: list[int] = field(default_factory=list[int])
    right: list[int] = field(default_factory=list[int])
    words: dict[int, str] = field(default_factory=dict[int, str])
    wrong: int = 0
    turned_down: set[tuple[int, str]] = field(default_factory=set[tuple[int, str]])
    missed: tuple[str, ...] = ()
    ended: float | None = None
    solved: bool = False

    @property
    def clean(self) -> bool:
        """Whether it was solved without a guess or a hint."""
        return self.solved and not self.wrong and not self.hinted


@dataclass(frozen=True, slots=True, kw_only=True)
class DueBugs:
    """A kata in which to look for bugs today. why: unfinished, missed or review."""

    kata: str
    why: str
    missed: tuple[str, ...] = ()


def held(story: Sequence[Attempt | Event]) -> list[Held]:
    """Return the exercises in the order in which they were begun."""
    found: dict[str, Held] = {}
    by_file: dict[str, str] = {}
    for moment in story:
        if isinstance(moment, Attempt):
            one = found.get(by_file.get(os.path.realpath(moment.file), ""))
            if moment.asked_by == "debug" and one is not None:
                one.last = moment.time
                if moment.verdict == "pass" and one.ended is None:
                    one.ended, one.solved = moment.time, True
            continue
        if not moment.kind.startswith("debug"):
            continue
        data = _detail(moment)
        key = str(data.get("key", ""))
        if moment.kind == "debug":
            file = str(data.get("file", ""))
            by_file[os.path.realpath(file)] = key
            found[key] = Held(
                kata=moment.kata, key=key, order=str(data.get("order", "")), file=file,
                began=moment.time, last=moment.time,
            )  # fmt: skip
        else:
            # A file that was begun elsewhere is gone on with here.
            anew = Held(
                kata=moment.kata, key=key, order="", file="", began=moment.time, last=moment.time
            )  # fmt: skip
            _take(found.setdefault(key, anew), moment, data)
    return list(found.values())


def wrong_before(story: Sequence[Attempt | Event]) -> Counter[str]:
    """Return what a person got wrong before: made, or not found."""
    made = Counter(name for each in story if isinstance(each, Attempt) for name in each.mistakes)
    made.update(name for one in held(story) for name in one.missed)
    return made


def due_bugs(story: Sequence[Attempt | Event]) -> list[DueBugs]:
    """Return where to look for bugs today: what was left, what was missed, what is long ago."""
    found: list[DueBugs] = []
    told = held(story)
    today = clock.day(clock.now())
    for kata in katas():
        mine = [one for one in told if one.kata == kata.id]
        if not mine or clock.day(mine[-1].last) >= today:
            continue
        last = mine[-1]
        if last.ended is None:
            found.append(DueBugs(kata=kata.id, why="unfinished"))
        elif not last.clean:
            found.append(DueBugs(kata=kata.id, why="missed", missed=last.missed))
        else:
            in_a_row = 0
            for one in reversed(mine):
                in_a_row += one.clean
                if not one.clean:
                    break
            wait = _DAYS[min(in_a_row, len(_DAYS)) - 1] * clock.DAY
            if last.ended + wait <= clock.now():
                found.append(DueBugs(kata=kata.id, why="review"))
    return found


def latest_file(story: Sequence[Attempt | Event]) -> Path | None:
    """Return the file of the exercise begun last that is still there."""
    files = [Path(one.file) for one in reversed(held(story))]
    return next((file for file in files if file.is_file()), None)


def _take(one: Held, event: Event, data: dict[str, Any]) -> None:
    one.last = event.time
    if event.kind == "debug-hint":
        one.hinted.append(int(data.get("bug", len(one.hinted) // _HINTS)))
    elif event.kind == "debug-said":
        if data.get("right"):
            line = int(data.get("line", 0))
            one.right.append(line)
            one.words[line] = str(data.get("words", ""))
        else:
            one.wrong += 1
            one.turned_down.add((int(data.get("line", 0)), str(data.get("mistake", ""))))
    elif event.kind == "debug-answer":
        one.missed = tuple(str(name) for name in data.get("missed", ()))
        if one.ended is None:
            one.ended = event.time


def _detail(event: Event) -> dict[str, Any]:
    with suppress(ValueError):
        found = json.loads(event.detail)
        if isinstance(found, dict):
            return found
    return {}
