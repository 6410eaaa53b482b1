"""What to do again, and when: FSRS over the sittings in the history.

Nothing is stored: the schedule is worked out anew from what happened, so that no second
record can disagree with the first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from functools import cache
from typing import TYPE_CHECKING

from ..kata.catalogue import Kata, katas
from . import clock
from .errors import Refusal
from .history import History
from .sittings import Sitting, sittings

if TYPE_CHECKING:
    from fsrs import Card, Scheduler

__all__ = [
    "Due", "Standing", "drills", "due", "following", "handed_out", "rating", "recalled",
    "standings",
]  # fmt: skip

# Beyond this, one does not know it on the day of the interview, whatever the curve says.
_LONGEST = 180
_MANY_FAILURES = 5
# A mistake made in so many sittings is a habit.
_HABIT = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How a kata stands: new, tried or passed.

    best: seconds of the quickest sitting. due: when to write it again, seconds since 1970.
    recall: how likely it would be written today, from 0 to 1. last: the latest sitting's end.
    """

    state: str = "new"
    best: float | None = None
    due: float | None = None
    recall: float | None = None
    last: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """A kata to write today. why: review, drill or unfinished; mistake: what a drill is for."""

    kata: Kata
    why: str
    standing: Standing
    mistake: str | None = None
    times: int = 0


def rating(sitting: Sitting, minutes: int) -> str:
    """Rate a sitting as FSRS does: easy, good, hard or again.

    Written at once from an empty stub and in time is good, in half the time easy. A hint, a
    failing verdict, overtime or work that did not begin with a stub makes it hard; all three
    slips, many failures, the answer seen or a sitting given up make it forgotten.
    """
    late = sitting.worked is not None and sitting.worked > minutes * 60
    slips = (sitting.hints > 0) + (sitting.failures > 0) + late
    if not sitting.passed or sitting.solution or slips == 3 or sitting.failures >= _MANY_FAILURES:
        return "again"
    if slips or not sitting.fresh:
        return "hard"
    quick = sitting.worked is not None and sitting.worked <= minutes * 30
    return "easy" if quick else "good"


def standings(
    told: Sequence[Sitting], seen: Mapping[str, str] | None = None
) -> dict[str, Standing]:
    """Return how each kata stands.

    seen: the state of katas by all that was judged. It counts where there was no sitting: of
    several files judged at once nobody knows who wrote them when.
    """
    found = {kata.id: _standing(kata, [s for s in told if s.kata == kata.id]) for kata in katas()}
    for name, state in (seen or {}).items():
        if state == "passed" and name in found and found[name].state == "new":
            found[name] = Standing(state="passed")
    return found


def due(told: Sequence[Sitting]) -> list[Due]:
    """Return what to write today: what is nearest to being forgotten first."""
    stands = standings(told)
    today = clock.day(clock.now())
    # What cannot be judged here is not asked for.
    ladder = {kata.id: kata for kata in katas() if not kata.lacking}
    found = [
        Due(kata=kata, why="review", standing=stand)
        for kata in ladder.values()
        if (stand := stands[kata.id]).due is not None and clock.day(stand.due) <= today
    ]
    found.sort(key=lambda one: one.standing.recall or 0.0)
    habits = drills(told)
    # A kata is written once a day: its drill goes with its review.
    found = [
        replace(one, mistake=habits[one.kata.id][0], times=habits[one.kata.id][1])
        if one.kata.id in habits
        else one
        for one in found
    ]
    listed = {one.kata.id for one in found}
    for name, (mistake, times) in habits.items():
        last = stands[name].last
        if name in ladder.keys() - listed and last is not None and clock.day(last) < today:
            found.append(
                Due(kata=ladder[name], why="drill", standing=stands[name], mistake=mistake,
                    times=times)
            )  # fmt: skip
            listed.add(name)
    found += [
        Due(kata=kata, why="unfinished", standing=stand)
        for kata in ladder.values()
        if (stand := stands[kata.id]).state == "tried"
        and kata.id not in listed
        and stand.last is not None
        and clock.day(stand.last) < today
    ]
    return found


def handed_out(history: History) -> Kata:
    """Return the kata that is due first; raise Refusal where none is."""
    told = sittings(history.story())
    found = due(told)
    if found:
        return found[0].kata
    new = following("", told)
    commands = ("due", f"watch {new.id}") if new is not None else ("due",)
    raise Refusal("due-nothing", commands=commands)


def drills(told: Sequence[Sitting]) -> dict[str, tuple[str, int]]:
    """Return katas to write against a habit: the mistake, and in how many sittings it was made.

    The kata is the one in which the mistake was made last, until it is passed there without.
    """
    known = {kata.id for kata in katas()}
    names = sorted({name for sitting in told for name in sitting.mistakes})
    found: dict[str, tuple[str, int]] = {}
    for name in names:
        made = [sitting for sitting in told if name in sitting.mistakes]
        last = made[-1]
        # Sittings are found by what they are: two may look alike.
        place = next(at for at, sitting in enumerate(told) if sitting is last)
        mended = any(s.kata == last.kata and s.passed for s in told[place + 1 :])
        if len(made) >= _HABIT and not mended and last.kata in known:
            worst = found.get(last.kata)
            if worst is None or worst[1] < len(made):
                found[last.kata] = (name, len(made))
    return found


def following(kata: str, told: Sequence[Sitting]) -> Kata | None:
    """Return the kata to go on with: the next on the ladder not yet passed, or what is due."""
    stands = standings(told)
    names = [one.id for one in katas()]
    place = names.index(kata) + 1 if kata in names else 0
    rest = [one for one in (*katas()[place:], *katas()[:place]) if one.id != kata]
    for one in rest:
        if stands[one.id].state != "passed" and not one.lacking:
            return one
    return next((one.kata for one in due(told) if one.kata.id != kata), None)


def _standing(kata: Kata, told: Sequence[Sitting]) -> Standing:
    worth = [sitting for sitting in told if sitting.tried]
    if not worth:
        return Standing()
    passes = [sitting for sitting in worth if sitting.passed]
    last = worth[-1].ended
    if not passes:
        return Standing(state="tried", last=last)
    times = [sitting.worked for sitting in passes if sitting.worked is not None]
    card = _card(kata, worth)
    present = datetime.fromtimestamp(clock.now(), timezone.utc)
    return Standing(
        state="passed",
        best=min(times, default=None),
        due=card.due.timestamp(),
        recall=_scheduler().get_card_retrievability(card, present),
        last=last,
    )


def _card(kata: Kata, told: Sequence[Sitting]) -> Card:
    """Replay the sittings of a kata that was passed.

    One that goes on has not been forgotten yet, and what came before the first pass was
    learning: neither is rated.
    """
    from fsrs import Card, Rating

    ratings = {"again": Rating.Again, "hard": Rating.Hard, "good": Rating.Good, "easy": Rating.Easy}
    card = Card(card_id=1)
    first = next(place for place, sitting in enumerate(told) if sitting.passed)
    for place, sitting in enumerate(told[first:], first):
        if sitting.passed or place < len(told) - 1:
            moment = datetime.fromtimestamp(sitting.ended, timezone.utc)
            card, _ = _scheduler().review_card(card, ratings[rating(sitting, kata.minutes)], moment)
    return card


def recalled(reviews: Sequence[tuple[float, str]]) -> Standing:
    """Return how what was reviewed stands: each review a time and again, hard, good or easy."""
    from fsrs import Card, Rating

    card = Card(card_id=1)
    for time, told in reviews:
        moment = datetime.fromtimestamp(time, timezone.utc)
        card, _ = _scheduler().review_card(card, Rating[told.capitalize()], moment)
    present = datetime.fromtimestamp(clock.now(), timezone.utc)
    return Standing(
        state="passed",
        due=card.due.timestamp(),
        recall=_scheduler().get_card_retrievability(card, present),
        last=reviews[-1][0],
    )


@cache
def _scheduler() -> Scheduler:
    """FSRS in whole days: a kata is written once a day at most, and nothing is left to chance."""
    from fsrs import Scheduler

    return Scheduler(
        learning_steps=(), relearning_steps=(), maximum_interval=_LONGEST, enable_fuzzing=False
    )
