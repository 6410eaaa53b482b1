"""What the judge's own searches may cost: names of mistakes, and ways to read weights.

Each has a count of its own as well, so that a seed repeats a check. This is for the submission
on which even so many steps would take too long. Processor time, so that a busy machine finds
what an idle one finds.
"""

from __future__ import annotations

import math
import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

__all__ = ["Spent", "limited", "spend", "until_spent"]

_Some = TypeVar("_Some")
_ends = [math.inf]
# Before this there can be no time that is up: a thread works no longer than time goes by.
_sooner = [0.0]


class Spent(Exception):
    """A search has taken the time that it may take, and ends without a result."""


@contextmanager
def limited(seconds: float) -> Generator[None]:
    """Let the searches inside take so much processor time of this thread, all together."""
    _ends.append(min(_ends[-1], time.thread_time() + seconds))
    _sooner[0] = 0.0
    try:
        yield
    finally:
        _ends.pop()
        _sooner[0] = 0.0


def spend() -> None:
    """Take one step of a search. Raise Spent where there is no time left for it."""
    now = time.perf_counter()
    if now < _sooner[0]:
        return
    left = _ends[-1] - time.thread_time()
    if left < 0:
        raise Spent
    # What a thread worked is asked of the system, which may take as long as the step.
    _sooner[0] = now + left


def until_spent(many: Iterable[_Some]) -> Iterator[_Some]:
    """Yield what a search finds as long as it has time."""
    with suppress(Spent):
        yield from many
