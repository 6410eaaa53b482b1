"""The time, and which of the times on record are to be believed."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Sequence
from datetime import date, datetime

__all__ = ["DAY", "believed", "day", "hour", "now"]

DAY = 86400.0


def now() -> float:
    """Return the seconds since 1970."""
    return time.time()


def day(moment: float) -> date:
    """Return the day on the person's calendar."""
    return datetime.fromtimestamp(moment).date()  # noqa: DTZ006 - the person's own


def hour(moment: float) -> str:
    """Return the time of the day on the person's clock: 22:13."""
    return datetime.fromtimestamp(moment).strftime("%H:%M")  # noqa: DTZ006 - as above


def believed(times: Sequence[float], present: float) -> list[float]:
    """Return the times of things that happened in this order, with what cannot be mended.

    A clock that was set wrong for a while stamps things before what came earlier, or in
    the future. The longest run of times that only grow, and not beyond the present, is
    believed; what lies off it is taken to have happened with the one before it, or after.
    """
    kept = _longest_growing(times, present)
    if not kept:
        return [present] * len(times)
    found: list[float] = []
    last = times[kept[0]]
    on_the_way = set(kept)
    for place, moment in enumerate(times):
        last = moment if place in on_the_way else last
        found.append(last)
    return found


def _longest_growing(times: Sequence[float], present: float) -> list[int]:
    """Return the places of the longest run that never falls, by patience sorting."""
    ends: list[float] = []
    places: list[int] = []
    before: dict[int, int | None] = {}
    for place, moment in enumerate(times):
        if moment > present:
            continue
        at = bisect_right(ends, moment)
        before[place] = places[at - 1] if at else None
        ends[at : at + 1] = [moment]
        places[at : at + 1] = [place]
    run: list[int] = []
    current = places[-1] if places else None
    while current is not None:
        run.append(current)
        current = before[current]
    return run[::-1]
