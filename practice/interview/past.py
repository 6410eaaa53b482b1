"""The interviews that were led to an end, and what they showed, over time."""

from __future__ import annotations

from .opening import finished
from .result import Result, result_of
from .store import Store

__all__ = ["past"]


def past(store: Store) -> list[Result]:
    """Return the results of all interviews that were held and ended, the oldest first."""
    found: list[Result] = []
    for number in store.numbers():
        kinds = {event.kind for event in store.events(number)}
        if {"opened", "ended"} <= kinds:
            session = finished(store, number)
            found.append(result_of(session, store.lookups(number)))
    return found
