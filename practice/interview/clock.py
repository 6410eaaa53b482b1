"""The interview's clock: it goes on through a closed terminal, a suspended machine, a restart.

Three readings are kept with every event. `steady` counts real time and cannot be set, also
while the machine sleeps, but begins anew at each boot; `awake` leaves sleep out; `wall` can
be set by anyone. Within one boot `steady` decides, across boots `wall` does, and where they
disagree the report says so.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

__all__ = ["Oddity", "Reading", "elapsed", "oddities", "read", "since"]

_BOOT = Path("/proc/sys/kernel/random/boot_id")
# What scheduling and rounding may put between readings that belong together.
_SLACK = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One look at the machine's clocks. boot: which boot, empty where nobody says."""

    wall: float
    steady: float
    awake: float
    boot: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Oddity:
    """Something about the clocks that the report states.

    kind: suspended, restarted, or the wall clock set forward or back.
    """

    kind: str
    seconds: float


def read() -> Reading:
    """Look at the clocks."""
    # Linux counts sleep in BOOTTIME alone, macOS in MONOTONIC; there UPTIME_RAW leaves it out.
    steady = getattr(time, "CLOCK_BOOTTIME", None) or time.CLOCK_MONOTONIC
    awake = getattr(time, "CLOCK_UPTIME_RAW", None) or time.CLOCK_MONOTONIC
    try:
        boot = _BOOT.read_text("ascii").strip()
    except OSError:
        boot = ""
    return Reading(
        wall=time.time(),
        steady=time.clock_gettime(steady),
        awake=time.clock_gettime(awake),
        boot=boot,
    )


def since(before: Reading, after: Reading) -> float:
    """Return the seconds between two readings; never less than none."""
    if _rebooted(before, after):
        return max(0.0, after.wall - before.wall)
    return max(0.0, after.steady - before.steady)


def elapsed(readings: Sequence[Reading]) -> float:
    """Return the seconds from the first reading to the last."""
    return sum(since(a, b) for a, b in pairwise(readings))


def oddities(readings: Sequence[Reading]) -> list[Oddity]:
    """Return what the readings say of the machine, each kind summed up."""
    sums: dict[str, float] = {}
    for before, after in pairwise(readings):
        for kind, seconds in _odd(before, after):
            sums[kind] = sums.get(kind, 0.0) + seconds
    return [Oddity(kind=kind, seconds=seconds) for kind, seconds in sums.items()]


def _rebooted(before: Reading, after: Reading) -> bool:
    return before.boot != after.boot or after.steady < before.steady


def _odd(before: Reading, after: Reading) -> list[tuple[str, float]]:
    wall = after.wall - before.wall
    if _rebooted(before, after):
        found = [("restarted", max(0.0, wall))]
        return [*found, ("back", -wall)] if wall < 0 else found
    seconds = since(before, after)
    found = []
    asleep = seconds - (after.awake - before.awake)
    if asleep > _SLACK:
        found.append(("suspended", asleep))
    if wall - seconds > _SLACK:
        found.append(("forward", wall - seconds))
    if seconds - wall > _SLACK:
        found.append(("back", seconds - wall))
    return found
