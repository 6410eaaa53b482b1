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


class Spent(Exception):
    """A search has taken the time that it may take, and ends without a result."""


@contextmanager
def limited(seconds: float) -> Generator[None]:
    """Let the searches inside take so much processor time of this thread, all together."""
    _ends.append(min(_ends[-1], time.thread_time() + seconds))
    try:
        yield
    finally:
        _ends.pop()


def spend() -> None:
    """Take one step of a search. Raise Spent where there is no time left for it."""
    if time.thread_time() > _ends[-1]:
        raise Spent


def until_spent(many: Iterable[_Some]) -> Iterator[_Some]:
    """Yield what a search finds as long as it has time."""
    with suppress(Spent):
        yield from many
