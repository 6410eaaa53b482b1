"""The history in figures: what `history` draws and what it writes for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime, timedelta, timezone
from typing import Any

from ..kata.catalogue import katas
from . import clock
from .history import Attempt, Event
from .schedule import Standing, standings
from .sittings import Sitting, of_debugging, sittings, unwritten

__all__ = ["FIELDS", "FirstPass", "Habit", "Summary", "checks", "rows", "streak", "summary"]

SCHEMA = 1
DAYS = 28
WEEKS = 8

FIELDS: tuple[str, ...] = (
    "time", "kata", "file", "verdict", "mistakes", "elapsed_ms", "seed", "source_hash",
    "asked_by", "fault", "line", "exception",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstPass:
    """How a kata was first passed.

    checks: how many it took, the stub's own left out. seconds: the time at work, None where
    it is not known.
    """

    checks: int
    seconds: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Habit:
    """A mistake over time. weeks: how often in each of the last weeks, the present one last."""

    name: str
    count: int
    last: float
    weeks: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """All there is to say about the attempts of one kata, or of all.

    passed: how many checks passed. katas_passed: how many katas did at least once. checks:
    attempts by kata. days: checks in each of the last days, today last.
    """

    attempts: tuple[Attempt, ...]
    passed: int
    katas_passed: int
    streak: int
    checks: dict[str, int]
    standing: dict[str, Standing]
    first_pass: dict[str, FirstPass]
    habits: tuple[Habit, ...]
    days: tuple[int, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON can carry."""
        names = [name for name, count in self.checks.items() if count]
        return {
            "schema": SCHEMA,
            "streak_days": self.streak,
            "katas_passed": self.katas_passed,
            "katas": {name: self._kata(name) for name in names},
            "mistakes": [
                {"id": one.name, "count": one.count, "last": _iso(one.last), "weeks": one.weeks}
                for one in self.habits
            ],
            "attempts": rows(self.attempts),
        }

    def _kata(self, name: str) -> dict[str, Any]:
        stand, first = self.standing.get(name, Standing()), self.first_pass.get(name)
        return {
            "state": stand.state,
            "checks": self.checks[name],
            "first_pass": asdict(first) if first else None,
            "best_seconds": stand.best,
            "due": None if stand.due is None else _iso(stand.due),
            "recall": stand.recall,
        }


def summary(story: Sequence[Attempt | Event], kata: str | None = None) -> Summary:
    """Sum up what happened, in one kata or in all."""
    told = sittings(story)
    everything = checks(story)
    attempts = tuple(each for each in everything if kata in {None, each.kata})
    counts = Counter(attempt.kata for attempt in attempts)
    names = [one.id for one in katas() if kata in {None, one.id}]
    # A kata that this version does not know, from another one, comes last.
    names += sorted(set(counts) - set(names))
    today = clock.day(clock.now())
    days = Counter((today - clock.day(attempt.time)).days for attempt in attempts)
    passes = [attempt for attempt in attempts if attempt.verdict == "pass"]
    return Summary(
        attempts=attempts,
        passed=len(passes),
        katas_passed=len({attempt.kata for attempt in passes}),
        streak=streak([attempt.time for attempt in everything], today),
        checks={name: counts[name] for name in names},
        standing=standings(told),
        first_pass={name: first for name in names if (first := _first(name, told)) is not None},
        habits=_habits(attempts, today),
        days=tuple(days[ago] for ago in reversed(range(DAYS))),
    )


def checks(story: Sequence[Attempt | Event]) -> list[Attempt]:
    """Return the checks of what a person wrote, stubs and planted bugs left out."""
    return [
        each
        for each in story
        if isinstance(each, Attempt) and not unwritten(each) and not of_debugging(each)
    ]


def rows(attempts: Sequence[Attempt]) -> list[dict[str, Any]]:
    """Return attempts as plain rows, with FIELDS as their names."""
    return [
        {name: getattr(attempt, name) for name in FIELDS}
        | {"time": _iso(attempt.time), "mistakes": list(attempt.mistakes)}
        for attempt in attempts
    ]


def streak(times: Sequence[float], today: date) -> int:
    """Return on how many days in a row something was judged, up to today or yesterday."""
    days = {clock.day(time) for time in times}
    last = today if today in days else today - timedelta(days=1)
    count = 0
    while last - timedelta(days=count) in days:
        count += 1
    return count


def _first(kata: str, told: Sequence[Sitting]) -> FirstPass | None:
    mine = [sitting for sitting in told if sitting.kata == kata]
    place = next((at for at, sitting in enumerate(mine) if sitting.passed), None)
    if place is None:
        return None
    until = mine[: place + 1]
    known = [sitting.worked for sitting in until if sitting.worked is not None]
    return FirstPass(
        checks=sum(len(sitting.attempts) for sitting in until),
        seconds=sum(known) if len(known) == len(until) else None,
    )


def _habits(attempts: Sequence[Attempt], today: date) -> tuple[Habit, ...]:
    times: dict[str, list[float]] = {}
    for attempt in attempts:
        for name in attempt.mistakes:
            times.setdefault(name, []).append(attempt.time)
    found: list[Habit] = []
    for name, made in times.items():
        weeks = Counter((today - clock.day(time)).days // 7 for time in made)
        by_week = tuple(weeks[ago] for ago in reversed(range(WEEKS)))
        found.append(Habit(name=name, count=len(made), last=made[-1], weeks=by_week))
    return tuple(sorted(found, key=lambda habit: (-habit.count, habit.name)))


def _iso(moment: float) -> str:
    return datetime.fromtimestamp(moment, timezone.utc).isoformat(timespec="seconds")
