"""The watch command: wait for a save, a key or a report, and keep the screen true."""

from __future__ import annotations

import select
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from ..checker.client import Bench, Underway
from ..checker.report import Report
from ..kata.catalogue import Kata, katas
from ..practice import clock
from ..practice.judging import Wishes
from ..practice.pages import page_called, page_names
from ..practice.record import Recorder
from ..practice.saves import Saves
from ..practice.schedule import due, following, standings
from ..practice.sittings import sittings
from ..practice.targets import Target
from ..practice.watch import Session, opened
from .brief import markdown_lines
from .frames import Outcome, framed, heat_part, key_line, passed_lines, trace_lines
from .keys import Keys, keys
from .ladder import kata_lines
from .lists import hint_lines, hints_over_lines
from .report import Look, report_lines
from .screen import Screen
from .solution import solution_lines
from .text import Line, safe, wrap
from .verdicts import lines_of

__all__ = ["watch"]

# A verdict that comes sooner replaces the one before it without a word between.
_PATIENCE = 0.4
_LONGEST_WAIT = 1.0


def watch(screen: Screen, target: Target, bench: Bench, recorder: Recorder, wishes: Wishes) -> None:
    """Judge a file at every save, until the person leaves."""
    with keys(screen) as keyboard:
        Watch(screen, keyboard, bench, recorder, wishes).run(target)


class Watch:
    """The screen and keys around a session."""

    def __init__(
        self, screen: Screen, keyboard: Keys | None, bench: Bench, recorder: Recorder,
        wishes: Wishes,
    ) -> None:  # fmt: skip
        self.screen = screen
        self.keyboard = keyboard
        self.bench = bench
        self.recorder = recorder
        self.wishes = wishes
        self.view = "verdict"
        self.offset = 0
        self.outcome: Outcome | None = None
        self.judged_at = 0.0
        self.judged_source: list[str] = []
        self.said: list[object] = []
        self.shown: object = None

    def run(self, target: Target) -> None:
        """Watch until the quit key."""
        self._open(target)
        try:
            while self._step():
                pass
        finally:
            self.session.close()

    def _open(self, target: Target) -> None:
        # A GPU's driver would take seconds to start at every save; `check` runs there.
        options = replace(self.wishes.options(), device="cpu")
        self.session = Session(target, self.bench, self.recorder, options, time=time.monotonic)
        self.view, self.offset, self.outcome = "verdict", 0, None
        self.session.begin()
        if self.keyboard is None:
            values = {"file": safe(str(target.file)), "kata": target.kata.id}
            self.screen.note(self.screen.say("watch-begins", **values))

    def _step(self) -> bool:
        """Wait for what comes next and act on it; whether to go on."""
        session = self.session
        self._redraw()
        sources: list[Saves | Keys | Underway] = [session.saves]
        sources += [] if self.keyboard is None else [self.keyboard]
        sources += [] if session.underway is None else [session.underway]
        ready, _, _ = select.select(sources, [], [], self._wait())
        if session.saves in ready:
            session.saved()
        session.tick()
        if session.underway is not None and session.underway in ready and session.arrived():
            self._judged()
        if self.keyboard in ready:
            return all(self._pressed(key) for key in self.keyboard.read())
        return True

    def _wait(self) -> float:
        """Seconds until something is to be done unasked."""
        times = [_LONGEST_WAIT]
        if self.session.wake_at is not None:
            times.append(self.session.wake_at - time.monotonic())
        if self.session.underway is not None:
            times.append(max(0.1, self.session.since + _PATIENCE - time.monotonic()))
        return max(0.0, min(times))

    def _judged(self) -> None:
        report = self.session.report
        assert report is not None
        self.judged_at = clock.now()
        # As it was judged: the next save must not shift the lines under a verdict.
        self.judged_source = lines_of(Path(report.file))
        self.view, self.offset = "verdict", 0
        self.outcome = self._outcome() if report.verdict == "pass" else None
        if self.keyboard is None:
            self.screen.print([*self._verdict(report), []])
        self._own_up()

    def _own_up(self) -> None:
        """Say once what could not be stored; on a screen that is redrawn it stays."""
        fresh = [trouble for trouble in self.recorder.troubles if trouble not in self.said]
        self.said += fresh
        if self.keyboard is None:
            self.screen.own_up(fresh)

    def _outcome(self) -> Outcome:
        kata = self.session.target.kata
        told = sittings(self.recorder.history.story())
        mine = [sitting for sitting in told if sitting.kata == kata.id and sitting.passed]
        return Outcome(
            kata=kata,
            sitting=mine[-1] if mine else None,
            standing=standings(told)[kata.id],
            following=following(kata.id, told),
        )

    # What the keys do.

    def _pressed(self, key: str) -> bool:
        """Do what a key is for; whether to go on."""
        if key == "q":
            return False
        if key == " ":
            self.offset += max(1, self.screen.out.height - len(self._foot()) - 2)
            return True
        chosen = self._picked(key)
        if chosen is not None:
            self._go_to(chosen, anew=False)
            return True
        actions = {name: action for name, _, action in self._keys()}
        actions.get(key, self._back)()
        return True

    def _keys(self) -> list[tuple[str, str, Callable[[], None]]]:
        """Return the keys that work now: key, word and what it does."""
        session = self.session
        found: list[tuple[str, str, Callable[[], None]]] = []
        if self.view != "verdict":
            found.append(("b", "key-back", self._back))
        elif self.outcome is not None and self.outcome.following is not None:
            found.append(("n", "key-next", self._next))
        found.append(("r", "key-run", self._run))
        if self.view == "verdict":
            found.append(("b", "key-brief", self._show("brief")))
        if self._mistake() is not None:
            found.append(("w", "key-why", self._show("why")))
        if self._hints_left():
            found.append(("h", "key-hint", self._hint))
        if session.report is not None and session.report.trace:
            found.append(("t", "key-trace", self._show("trace")))
        if session.report is not None and session.report.heat is not None:
            found.append(("e", "key-heat", self._show("heat")))
        found.append(("s", "key-solution", self._solution))
        return [*found, ("l", "key-list", self._show("list"))]

    def _show(self, view: str) -> Callable[[], None]:
        def show() -> None:
            self.view, self.offset = view, 0

        return show

    def _back(self) -> None:
        self._show("verdict")()

    def _run(self) -> None:
        self._back()
        if self.session.saves.seen is not None:
            self.session.begin()

    def _hints_left(self) -> bool:
        kata = self.session.target.kata
        return self.recorder.workspace.hints_seen(kata.id) < len(kata.hints(self.screen.language))

    def _mistake(self) -> str | None:
        """Return the name of what is wrong, where there is a page on it."""
        report = self.session.report
        named = report.diagnosis[0].mistake if report is not None and report.diagnosis else None
        return named if named in page_names() else None

    def _hint(self) -> None:
        kata = self.session.target.kata
        self.recorder.hinted(kata.id, self.recorder.workspace.hints_seen(kata.id) + 1)
        self._show("hint")()

    def _solution(self) -> None:
        kata = self.session.target.kata
        report = self.session.report
        passed = report is not None and report.verdict == "pass"
        if passed or self.view == "spoil":
            self.recorder.spoiled(kata.id)
            self._show("solution")()
        else:
            self._show("spoil")()

    def _next(self) -> None:
        assert self.outcome is not None
        kata = self.outcome.following
        if kata is not None:
            told = sittings(self.recorder.history.story())
            again = any(one.kata.id == kata.id and one.why == "review" for one in due(told))
            self._go_to(kata, anew=again)

    def _go_to(self, kata: Kata, *, anew: bool) -> None:
        folder = self.session.target.file.parent
        target = opened(kata, folder, self.recorder, anew=anew)
        self.session.close()
        self._open(target)

    def _picked(self, key: str) -> Kata | None:
        ladder = katas()
        if self.view == "list" and key.isdecimal() and 0 < int(key) <= len(ladder):
            return ladder[int(key) - 1]
        return None

    # What is on the screen.

    def _redraw(self) -> None:
        """Draw the screen anew where anything on it has changed."""
        if self.keyboard is None:
            return
        screen = self.screen
        height = screen.out.height
        foot = self._foot()
        lines, self.offset = framed(self._body(), foot, height, self.offset, screen.language)
        if (lines, height) != self.shown:
            self.shown = (lines, height)
            with screen.out:
                screen.out.clear()
                screen.print(lines[:height])

    def _body(self) -> list[Line]:
        screen, session, kata = self.screen, self.session, self.session.target.kata
        language, width = screen.language, screen.width
        if self.view == "list":
            stands = standings(sittings(self.recorder.history.story()))
            return [[(screen.say("watch-pick"), "bold")], [],
                    *kata_lines(katas(), stands, language, width)]  # fmt: skip
        if self.view == "brief":
            return markdown_lines(kata.brief(language), width)
        mistake = self._mistake()
        if self.view == "why" and mistake is not None:
            return markdown_lines(page_called(mistake, language), width)
        if self.view == "hint":
            return self._hint_lines()
        if self.view == "spoil":
            return self._told(screen.say("watch-spoil", kata=kata.id))
        if self.view == "solution":
            return solution_lines(kata.id, kata.solution(), language)
        file = safe(str(session.target.file))
        if session.gone:
            return self._told(screen.say("watch-gone", file=file))
        if session.report is None:
            head = f"{kata.id}  {kata.title[language]}"
            return [[(head, "bold")], [], *self._told(screen.say("watch-first"))]
        if self.view == "trace":
            return trace_lines(session.report, self._look(session.report))
        if self.view == "heat":
            return heat_part(session.report, self._look(session.report))
        return self._verdict(session.report)

    def _hint_lines(self) -> list[Line]:
        kata, language, width = self.session.target.kata, self.screen.language, self.screen.width
        hints = kata.hints(language)
        number = min(self.recorder.workspace.hints_seen(kata.id), len(hints))
        if not number:
            return hints_over_lines(kata.id, len(hints), language, width)
        return hint_lines(kata.id, hints, number, language, width)[:-2]

    def _verdict(self, report: Report) -> list[Line]:
        look = self._look(report)
        if self.outcome is not None:
            keyed = self.keyboard is not None
            return passed_lines(report, look, self.outcome, keys=keyed)
        return report_lines(report, look)

    def _look(self, report: Report) -> Look:
        look = Look(
            language=self.screen.language,
            width=self.screen.width,
            source=self.judged_source,
        )
        if self.keyboard is None and report.diagnosis:
            why = f"attn-kata explain {report.diagnosis[0].mistake}"
            look = replace(look, commands=((self.screen.say("next-why"), why),))
        return look

    def _foot(self) -> list[Line]:
        width = self.screen.width
        lines = [[(row, "note")] for text in self._notes() for row in wrap(text, width)]
        lines += [[(row, "dim")] for row in wrap(self._status(), width)]
        named = [(key, self.screen.say(word)) for key, word, _ in self._keys()]
        return [*lines, *key_line([*named, ("q", self.screen.say("key-quit"))], width)]

    def _notes(self) -> list[str]:
        troubles = [self.screen.say(one.key, **one.values) for one in self.recorder.troubles]
        return [
            *troubles,
            *([self.screen.say("watch-restarted")] if self.session.restarted else []),
        ]

    def _status(self) -> str:
        session = self.session
        file = safe(str(session.target.file))
        waited = time.monotonic() - session.since
        if session.underway is not None and (session.report is None or waited >= _PATIENCE):
            return self.screen.say("watch-judging", file=file)
        if session.report is None:
            return ""
        seconds = f"{session.report.elapsed_ms / 1000:.1f}"
        at = clock.hour(self.judged_at)
        return self.screen.say("watch-judged", file=file, seconds=seconds, time=at)

    def _told(self, text: str) -> list[Line]:
        return [[(row, "bold")] for row in wrap(text, self.screen.width)]
