"""The history told as sittings: one for each time that a kata was written.

A sitting begins with a stub handed out, or with the first attempt on new work, and ends
with a pass, or where it is left for another stub.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache

from ..kata.catalogue import LANGUAGES, UnknownKata, find
from .clock import DAY
from .history import Attempt, Event

__all__ = ["Sitting", "of_debugging", "of_questions", "sittings", "unwritten"]

# Nobody says what a person does in an hour without a check: the time is then not known.
_BREAK = 3600.0
# A passed file that is changed the same day is polished, not written from memory.
_POLISH = DAY / 2


@dataclass(slots=True, kw_only=True)
class Sitting:
    """Writing a kata once.

    fresh: it began with a stub handed out. worked: seconds from there to the pass, None
    where a long break hides them. ended: the time of the pass, or of what came last.
    """

    kata: str
    began: float
    ended: float
    fresh: bool
    worked: float | None
    passed: bool = False
    hints: int = 0
    solution: bool = False
    attempts: list[Attempt] = field(default_factory=list[Attempt])

    @property
    def failures(self) -> int:
        """How often it ran and was wrong; what does not run yet is work in progress."""
        return sum(attempt.verdict == "fail" for attempt in self.attempts)

    @property
    def mistakes(self) -> set[str]:
        """The names of what was wrong."""
        return {name for attempt in self.attempts for name in attempt.mistakes}

    @property
    def tried(self) -> bool:
        """Whether anything but the stub was judged."""
        return bool(self.attempts)

    def go_on(self, moment: Attempt | Event) -> None:
        """Take in what happened next."""
        gap = moment.time - self.ended
        known = self.worked is not None and 0 <= gap <= _BREAK
        self.worked = self.worked + gap if known and self.worked is not None else None
        self.ended = moment.time
        if isinstance(moment, Attempt):
            self.attempts.append(moment)
            self.passed = moment.verdict == "pass"
        else:
            self.hints += moment.kind == "hint"
            self.solution = self.solution or moment.kind == "solution"


def sittings(story: Sequence[Attempt | Event]) -> list[Sitting]:
    """Return the sittings in the order in which they began."""
    found: list[Sitting] = []
    current: dict[str, Sitting] = {}
    for moment in story:
        if of_debugging(moment) or of_questions(moment):
            continue
        sitting = current.get(moment.kata)
        if isinstance(moment, Event):
            if sitting is not None and sitting.passed and moment.kind != "start":
                # A look at the answer after the pass spoils nothing.
                continue
            begins = moment.kind == "start" or sitting is None
        elif moment.asked_by == "batch" or unwritten(moment):
            continue
        else:
            if sitting is not None and sitting.passed and not _anew(sitting, moment):
                continue
            begins = sitting is None or sitting.passed
        if begins or sitting is None:
            sitting = current[moment.kata] = _begun(moment)
            found.append(sitting)
            if isinstance(moment, Event) and moment.kind == "start":
                continue
        sitting.go_on(moment)
    return found


def of_debugging(moment: Attempt | Event) -> bool:
    """Whether it is about a file with planted bugs, and not about a kata that is written."""
    if isinstance(moment, Event):
        return moment.kind.startswith("debug")
    return moment.asked_by == "debug"


def of_questions(moment: Attempt | Event) -> bool:
    """Whether it is about an interview question, and not about a kata that is written."""
    return isinstance(moment, Event) and moment.kind == "question"


def _begun(moment: Attempt | Event) -> Sitting:
    fresh = isinstance(moment, Event) and moment.kind == "start"
    return Sitting(
        kata=moment.kata,
        began=moment.time,
        ended=moment.time,
        fresh=fresh,
        worked=0.0 if fresh else None,
    )


def _anew(passed: Sitting, attempt: Attempt) -> bool:
    """Whether an attempt after a pass is on other work than the work that passed."""
    last = passed.attempts[-1]
    if attempt.source_hash is not None and attempt.source_hash == last.source_hash:
        return False
    return attempt.file != last.file or attempt.time - passed.ended >= _POLISH


def unwritten(attempt: Attempt) -> bool:
    """Whether it is what was handed out, judged as it is."""
    if attempt.fault:
        return attempt.fault == "unwritten"
    # Of what earlier versions stored there is the hash alone.
    return attempt.verdict == "error" and attempt.source_hash in _stubs(attempt.kata)


@cache
def _stubs(kata: str) -> frozenset[str]:
    with suppress(UnknownKata, OSError):
        texts = [find(kata).stub(language) for language in LANGUAGES]
        return frozenset(hashlib.sha256(text.encode()).hexdigest() for text in texts)
    return frozenset()
