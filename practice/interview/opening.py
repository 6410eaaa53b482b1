"""Begin an interview, or find the one to go on with; only one is led at a time."""

from __future__ import annotations

import fcntl
import math
import os
import random
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from ..errors import Refusal
from . import clock
from .plan import plan_called
from .requirements import draw
from .session import Session
from .store import Event, Store

__all__ = ["begin", "finished", "only_one", "resume"]

_LOCK = "interviews.lock"
_LONGEST = 24 * 60


@contextmanager
def only_one(folder: Path) -> Generator[None]:
    """Hold the interview's lock, which the system lets go of however the program ends.

    Raise Refusal where another terminal holds it. A folder that cannot be written has no
    lock, as nothing is stored there either.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        number = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        yield
        return
    try:
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Refusal("interview-running") from None
        yield
    finally:
        os.close(number)


def begin(
    store: Store,
    *,
    plan: str,
    level: str,
    minutes: float | None,
    seed: int | None,
    practice: bool,
) -> Session:
    """Begin an interview. Raise Refusal for a plan or a time that is none, or what it needs."""
    chosen = plan_called(plan)
    if minutes is not None and not (math.isfinite(minutes) and 0 < minutes <= _LONGEST):
        raise Refusal(
            "interview-minutes", minutes=f"{minutes:g}", commands=(f"interview --plan {plan}",)
        )
    lacking = next((tier.kata.lacking for tier in chosen.tiers if tier.kata.lacking), "")
    if lacking:
        raise Refusal("kata-lacking", name=lacking)
    unfinished = store.unfinished()
    if unfinished is not None:
        if _session(store, unfinished).opened:
            commands = ("interview --resume",)
            raise Refusal("interview-unfinished", number=unfinished, commands=commands)
        # Its brief was read and no more: nothing to go on with.
        store.add(unfinished, Event("ended", clock.read(), {"why": "unopened"}))
    drawn_with = random.SystemRandom().randrange(10**4) if seed is None else seed
    data = {
        "plan": chosen.id,
        "level": level,
        "seed": drawn_with,
        "minutes": minutes if minutes is not None else chosen.minutes,
        "practice": practice,
        "drawn": draw(drawn_with, level),
    }
    number = store.new()
    event = Event("begin", clock.read(), data)
    store.add(number, event)
    return Session.of(number, [event])


def resume(store: Store) -> Session:
    """Return the interview that has not ended; raise Refusal where there is none."""
    number = store.unfinished()
    if number is None:
        _refuse_what_is_closed(store)
        raise Refusal("interview-none-open", commands=("interview", "interview report"))
    return _session(store, number)


def finished(store: Store, number: int | None) -> Session:
    """Return an interview to report on, the last where none is named. Raise Refusal."""
    numbers = store.numbers()
    if not numbers:
        _refuse_what_is_closed(store)
        raise Refusal("interview-none-yet", commands=("interview",))
    if number is not None and number not in numbers:
        names = ", ".join(map(str, numbers[-10:]))
        raise Refusal("interview-no-number", number=number, names=names)
    chosen = number if number is not None else _last_led(store, numbers)
    session = _session(store, chosen)
    if not session.ended:
        raise Refusal("interview-not-ended", number=chosen, commands=("interview --resume",))
    return session


def _last_led(store: Store, numbers: list[int]) -> int:
    """Return the last interview that was led to an end, else the last one."""
    for number in reversed(numbers):
        session = _session(store, number)
        if session.ended and session.opened:
            return number
    return numbers[-1]


def _session(store: Store, number: int) -> Session:
    """Fold an interview's events. Raise Refusal where they can no longer be read."""
    events = store.events(number)
    if not events:
        _refuse_what_is_closed(store)
        raise Refusal("interview-none-yet", commands=("interview",))
    return Session.of(number, events)


def _refuse_what_is_closed(store: Store) -> None:
    """Where the interviews could not be read, that is why there are none."""
    for trouble in store.troubles:
        values = trouble.values
        if "kept" in values:
            raise Refusal(trouble.key, kept=values["kept"])
        raise Refusal(trouble.key, file=values["file"], reason=values["reason"])
