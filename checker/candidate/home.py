"""In the candidate's process: the settling in, before any of its code runs."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from pathlib import Path

from ..process import fence
from ..process.limits import Limits
from .guard import Guard

__all__ = ["settle"]

_LINKS = 256


def settle(
    channel: int, aside: int, folder: str | None, limits: Limits, protected: set[int]
) -> Guard:
    """Take limits and fences on, move into a folder of its own, and return the guard.

    limits: its memory includes what torch takes. protected: processes that get no signal.
    """
    os.setsid()
    fence.die_with(9)
    with contextlib.suppress(OSError):
        # Where the whole machine runs out of memory, this is the one to go.
        Path("/proc/self/oom_score_adj").write_text("1000", "ascii")
    if folder is not None:
        _move_into(folder)
    # Whatever the terminal is, what is printed can be written; line by line, lest it be lost.
    sys.stdout, sys.stderr = (
        open(fd, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115 - descriptors, for as long as it lives
        for fd in (1, 2)
    )
    # What it imports from beside itself leaves no cache there.
    sys.dont_write_bytecode = True
    accelerated = bool(limits.accelerator)
    fence.limit(limits.memory, limits.seconds, accelerated=accelerated)
    confined = fence.confine_writes(folder, accelerated=accelerated)
    filtered = fence.filter_calls(protected, programs=limits.programs)
    return Guard(aside, channel, folder, protected, fenced=confined and filtered)


def _move_into(folder: str) -> None:
    """Make the folder look like the one that the person is in: what is there can be read."""
    with contextlib.suppress(OSError), os.scandir(Path.cwd()) as here:
        for entry, _ in zip(here, range(_LINKS), strict=False):
            os.symlink(entry.path, os.path.join(folder, entry.name))  # noqa: PTH118, PTH211 - many
    os.chdir(folder)
    os.environ["TMPDIR"] = folder
    tempfile.tempdir = None
