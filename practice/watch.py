"""The watch loop's state: one file, the check under way, the last report.

Knows no terminal and sleeps never: the command tells it what happened and when, and it says
when it wants to be called next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from ..checker import Died, Options, Report, Underway, lost
from ..kata.catalogue import Kata, known
from .debug.standing import with_mending
from .debug.veil import veiled
from .errors import Refusal
from .record import Recorder
from .saves import Saves, whole
from .stubs import start
from .targets import INPUT, Target, file_here, known_here, near, one_file, targets

__all__ = ["Judges", "Session", "opened", "to_watch"]

# Seconds that a file may take to come whole, or come back: an editor is writing it.
_SETTLE = 0.25
# How often a judge is started again for one save.
_LIVES = 2


def opened(kata: Kata, folder: Path, recorder: Recorder, *, anew: bool) -> Target:
    """Return a kata's file, handed out where there is none.

    anew: hand out a fresh stub in any case; the file before it is kept.
    """
    file = known_here(kata, recorder.workspace, folder)
    if anew or file is None:
        file = start(kata, folder, force=anew, language=recorder.language).file
        recorder.started(kata.id, file)
    return Target(kata, near(file))


def to_watch(arguments: Sequence[str], recorder: Recorder) -> Target:
    """Return what to watch from what was typed; a kata that has no file yet is handed out."""
    workspace = recorder.workspace
    kata = known(arguments[0]) if len(arguments) == 1 else None
    if INPUT in arguments:
        raise Refusal("watch-input", commands=("watch mha",))
    if kata is not None and workspace.file(kata.id) is None:
        here = file_here(kata, workspace, f"watch {kata.id} {{file}}")
        if here is None:
            return opened(kata, Path(), recorder, anew=False)
    found = targets(arguments, workspace, "watch")
    if len(found) != 1:
        raise one_file(arguments, "watch")
    return found[0]


class Judges(Protocol):
    """What a session asks of `checker.client.Bench`."""

    renewals: int

    def begin(self, kata: str, file: Path, options: Options) -> Underway:
        """Begin to judge a file."""
        ...

    def judge(self, kata: str, files: Sequence[Path], options: Options) -> Iterator[Report]:
        """Judge files, and wait for it."""
        ...


class Session:
    """Watching one file.

    report: the latest verdict, None while the file is gone. gone: the file is not there.
    restarted: the judge died since the verdict before this one, and was started again.
    since: when the check under way began. wake_at: when `tick` is due.
    """

    def __init__(
        self,
        target: Target,
        bench: Judges,
        recorder: Recorder,
        options: Options,
        *,
        time: Callable[[], float],
        saves: Saves | None = None,
    ) -> None:
        self.target = target
        self.bench = bench
        self.recorder = recorder
        # Asked the same at every save, the judge knows its questions' answers from the save before.
        self.options = options.seeded()
        self.time = time
        self.saves = saves or Saves(target.file)
        self.report: Report | None = None
        self.underway: Underway | None = None
        self.since = 0.0
        self.gone = False
        self.restarted = False
        self.wake_at: float | None = None
        self._lives = _LIVES
        self._died = False
        self._renewals = bench.renewals

    def saved(self) -> None:
        """Something happened to the file: drop the check under way, and judge what is there.

        A file that is not whole or not there may be in the middle of being saved.
        """
        if not self.saves.changed():
            return
        self._drop()
        if self.saves.seen is not None and whole(self.target.file):
            self.begin()
        else:
            self.wake_at = self.time() + _SETTLE

    def tick(self) -> None:
        """Whatever was waited for has had its time: judge what is there."""
        if self.wake_at is None or self.time() < self.wake_at:
            return
        self.wake_at = None
        self.gone = self.saves.seen is None
        if self.gone:
            # What was said of it is said of a file that is no more.
            self.report = None
        else:
            self.begin()

    def begin(self) -> None:
        """Judge the file as it is now."""
        self._drop()
        self._lives = _LIVES
        self.gone = False
        self._ask()

    def arrived(self) -> bool:
        """Take the report that is ready; whether there was one."""
        assert self.underway is not None
        underway, self.underway = self.underway, None
        try:
            report = underway.report()
        except Died as died:
            self._died = True
            self._lives -= 1
            if self._lives:
                self._ask()
                return False
            report = lost(self.target.kata.id, str(self.target.file), died.reason)
        report = with_mending(report, self.target.file, self.bench)
        self.recorder.record(report, alone=True)
        self.report = veiled(report)
        self._note_restart()
        return True

    def close(self) -> None:
        """Leave the file."""
        self._drop()
        self.saves.close()

    def _ask(self) -> None:
        self.since = self.time()
        self.underway = self.bench.begin(self.target.kata.id, self.target.file, self.options)

    def _note_restart(self) -> None:
        # By the verdict, not by the check: one that a newer save drops may have been the one
        # that found the judge dead, and nobody would be told.
        self.restarted = self._died or self.bench.renewals > self._renewals
        self._died, self._renewals = False, self.bench.renewals

    def _drop(self) -> None:
        self.wake_at = None
        if self.underway is not None:
            self.underway.drop()
            self.underway = None
