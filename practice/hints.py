"""The hints on a kata: in general, or on the step that the last check found wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..kata.catalogue import Kata
from .history import Attempt, Event
from .interview.voices import found_wrong, on_step

__all__ = ["Hints", "found_last", "hints_on"]

_OF_OTHERS = {"batch", "debug"}


@dataclass(frozen=True, slots=True)
class Hints:
    """What to tell, one after the other. step: what they are about; "" where it is the whole."""

    step: str
    texts: tuple[str, ...]


def hints_on(kata: Kata, language: str, mistakes: Sequence[str]) -> Hints:
    """Return a kata's own hints, or those on the step of the first mistake that has some.

    These are how to see it on small numbers, the kata's second hint, and what the step has to do.
    """
    own = kata.hints(language)
    step = found_wrong(kata.id, mistakes)
    if not step:
        return Hints("", own)
    see, nudge = on_step(step, language)
    return Hints(step, (see, own[1], nudge))


def found_last(kata: Kata, story: Sequence[Attempt | Event]) -> tuple[str, ...]:
    """Return the mistakes of the last check; none after a pass, or where work began anew."""
    for moment in reversed(story):
        if moment.kata != kata.id:
            continue
        if isinstance(moment, Attempt) and moment.asked_by not in _OF_OTHERS:
            return () if moment.verdict == "pass" else moment.mistakes
        if isinstance(moment, Event) and moment.kind == "start":
            return ()
    return ()
