"""One file after another: its session, what a pass amounts to, and the hints that were taken."""

from __future__ import annotations

import select
import time
from dataclasses import dataclass, replace
from pathlib import Path

from ...checker import Underway
from ...kata.catalogue import Kata
from ...practice import clock
from ...practice.debug import rounds as exercises
from ...practice.debug.claims import Hint
from ...practice.debug.exercise import exercise_in
from ...practice.hints import Hints, hints_on
from ...practice.judging import Wishes
from ...practice.pages import page_names
from ...practice.record import Recorder
from ...practice.saves import Saves
from ...practice.schedule import Standing, due, following, standings
from ...practice.sittings import Sitting, sittings
from ...practice.targets import Target
from ...practice.watch import Judges, Session, opened
from ..source import lines_of

__all__ = ["PATIENCE", "Outcome", "Rounds"]

# Seconds. A verdict that comes sooner replaces the one before it without a word between.
PATIENCE = 0.4


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a pass amounts to. following: the kata to go on with."""

    kata: Kata
    sitting: Sitting | None
    standing: Standing
    following: Kata | None


class Rounds:
    """What is watched now. Draws nothing.

    outcome: what the pass on the screen amounts to; None where the verdict is another.
    judged_at: seconds since 1970. judged_source: the file's lines as they were judged.
    bug: the hint on a planted bug that was given last.
    """

    def __init__(self, target: Target, bench: Judges, recorder: Recorder, wishes: Wishes) -> None:
        self.bench = bench
        self.recorder = recorder
        # A GPU's driver would take seconds to start at every save; `check` runs there.
        self.options = replace(wishes.options(), device="cpu")
        self.session = self._opened(target)

    def close(self) -> None:
        """Leave the file."""
        self.session.close()

    @property
    def kata(self) -> Kata:
        """The kata that is being written."""
        return self.session.target.kata

    @property
    def file(self) -> Path:
        """The file that is watched."""
        return self.session.target.file

    # What happens.

    def sources(self) -> list[Saves | Underway]:
        """Return what there may be news on: descriptors that can be waited for."""
        underway = self.session.underway
        return [self.session.saves, *([] if underway is None else [underway])]

    def wait(self) -> float | None:
        """Return the seconds until something is due unasked; None where nothing is."""
        session, moments = self.session, list[float]()
        if session.wake_at is not None:
            moments.append(session.wake_at)
        patient = session.since + PATIENCE
        if session.underway is not None and patient > time.monotonic():
            moments.append(patient)
        return max(0.0, min(moments) - time.monotonic()) if moments else None

    def step(self, seconds: float | None) -> bool:
        """Wait for news, no longer than that, and act on it; whether a verdict came."""
        session = self.session
        ready, _, _ = select.select(self.sources(), [], [], seconds)
        if session.saves in ready:
            session.saved()
        session.tick()
        if session.gone:
            self.outcome = None
        # A save drops the check under way, and another one's report is not this one's.
        if session.underway is None or session.underway not in ready or not session.arrived():
            return False
        self._judged()
        return True

    @property
    def slow(self) -> bool:
        """Whether a check is under way for so long that it is worth a word."""
        session = self.session
        waited = time.monotonic() - session.since
        return session.underway is not None and (session.report is None or waited >= PATIENCE)

    # What the person asks for.

    def again(self) -> None:
        """Judge the file as it is."""
        if self.session.saves.seen is not None:
            self.session.begin()

    def go_to(self, kata: Kata, *, anew: bool = False) -> None:
        """Leave this file for another kata's, its stub where there is none.

        anew: hand out a fresh stub in any case. Raise Refusal where it cannot be written.
        """
        if kata.id == self.kata.id and not anew and not self.session.gone:
            return
        target = opened(kata, self.file.parent, self.recorder, anew=anew)
        self.session.close()
        self.session = self._opened(target)

    def go_on(self) -> None:
        """Go to the kata that follows the one just passed; a fresh stub, where it is due again."""
        kata = self.outcome.following if self.outcome is not None else None
        if kata is not None:
            told = sittings(self.recorder.history.story())
            again = any(one.kata.id == kata.id and one.why == "review" for one in due(told))
            self.go_to(kata, anew=again)

    def standings(self) -> dict[str, Standing]:
        """Return how each kata stands."""
        return standings(sittings(self.recorder.history.story()))

    # What is known.

    @property
    def mistake(self) -> str | None:
        """The name of what is wrong, where there is a page on it."""
        report = self.session.report
        named = report.diagnosis[0].mistake if report is not None and report.diagnosis else None
        return named if named in page_names() else None

    @property
    def passed(self) -> bool:
        """Whether the verdict on the screen is a pass."""
        return self.session.report is not None and self.session.report.verdict == "pass"

    def hints(self, language: str) -> Hints:
        """Return the hints on the kata, or on what the verdict on the screen found wrong."""
        report = self.session.report
        return hints_on(
            self.kata, language, [one.mistake for one in report.diagnosis] if report else ()
        )

    @property
    def debugging(self) -> bool:
        """Whether the verdict is on an exercise with planted bugs, which has hints of its own."""
        report = self.session.report
        return report is not None and report.debug is not None

    def may_hint(self, language: str) -> bool:
        """Whether there is a hint that was not taken."""
        if self.debugging:
            return not self.passed and (self.bug is None or not self.bug.over)
        hints = self.hints(language)
        return self.hints_seen(hints) < len(hints.texts)

    def take_hint(self, language: str) -> None:
        """Take the next hint: of an exercise on its bugs, else on the kata."""
        exercise = exercise_in(self.file) if self.debugging else None
        if exercise is not None:
            self.bug = exercises.hint(exercise, self.recorder.history)
            return
        hints = self.hints(language)
        self.recorder.hinted(self.kata.id, self.hints_seen(hints) + 1, hints.step)

    def hints_seen(self, hints: Hints) -> int:
        """Return how many of them were taken."""
        return self.recorder.workspace.hints_seen(self.kata.id, hints.step)

    def _opened(self, target: Target) -> Session:
        session = Session(target, self.bench, self.recorder, self.options, time=time.monotonic)
        self.outcome: Outcome | None = None
        self.bug: Hint | None = None
        self.judged_at = 0.0
        self.judged_source: list[str] = []
        session.begin()
        return session

    def _judged(self) -> None:
        report = self.session.report
        assert report is not None
        self.judged_at = clock.now()
        # As it was judged: the next save must not shift the lines under a verdict.
        self.judged_source = lines_of(Path(report.file))
        # A mended exercise is no kata that was written.
        written = self.passed and report.debug is None
        self.outcome = self._outcome() if written else None

    def _outcome(self) -> Outcome:
        told = sittings(self.recorder.history.story())
        mine = [sitting for sitting in told if sitting.kata == self.kata.id and sitting.passed]
        return Outcome(
            kata=self.kata,
            sitting=mine[-1] if mine else None,
            standing=standings(told)[self.kata.id],
            following=following(self.kata.id, told),
        )
