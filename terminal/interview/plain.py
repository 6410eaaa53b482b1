"""The interview line by line: for pipes, dumb terminals, and whoever likes it so."""

from __future__ import annotations

import os
import select
import stat
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from ...practice.interview.commands import command_in
from ...practice.interview.conduct import Interview
from ...practice.interview.said import Said
from ..screen import Screen
from ..text import Line
from .lines import clock_text, said_lines

__all__ = ["is_silent", "lead"]

# How often the clock is looked at while nobody types.
_LOOK = 1.0


def is_silent() -> bool:
    """Whether standard input is closed, or at its end before a word was said."""
    try:
        found = os.fstat(0)
    except OSError:
        return True
    if stat.S_ISREG(found.st_mode):
        return os.lseek(0, 0, os.SEEK_CUR) >= found.st_size
    if os.path.samestat(found, Path(os.devnull).stat()):
        return True
    poll = select.poll()
    poll.register(0, select.POLLIN)
    # Of a pipe or a socket: a driver that first waits for the greeting has not hung up.
    return any(event & select.POLLHUP and not event & select.POLLIN for _, event in poll.poll(0))


def lead(interview: Interview, screen: Screen) -> None:
    """Hold the interview on standard input and output until it is over or the person leaves."""
    screen.print(said_lines(interview.greet(), screen.language, screen.width))
    typed = _Typed()
    try:
        while not (interview.over or interview.away):
            _prompt(interview, screen)
            line = typed.next(interview, screen)
            if line is None:
                break
            with _waiting(line, screen):
                said = interview.line(line, more=typed.more())
            _say(said, screen)
    except KeyboardInterrupt:
        if not interview.over:
            interview.leave()
        raise
    if not interview.over:
        screen.note(screen.say(interview.leave().key))


def _say(said: list[Said], screen: Screen) -> None:
    if said:
        screen.print(said_lines(said, screen.language, screen.width))


def _waiting(line: str, screen: Screen) -> AbstractContextManager[object]:
    """Turn a spinner while code is read or made; all else is answered at once."""
    key = {"submit": "judging", "start": "preparing"}.get(command_in(line)[0])
    return screen.waiting(screen.say(f"interview-{key}")) if key else nullcontext()


def _prompt(interview: Interview, screen: Screen) -> None:
    """Show the time left and wait beside it, on a terminal; in a pipe nobody reads it."""
    if sys.stdin.isatty():
        sys.stdout.write(f"{_clock(interview, screen)}> ")
        sys.stdout.flush()


def _clock(interview: Interview, screen: Screen) -> str:
    session = interview.session
    if session.practice or not session.opened:
        return ""
    return f"{clock_text(interview.seconds_left())} {screen.say('interview-left-label')} "


class _Typed:
    """Lines from standard input, and meanwhile an eye on the clock."""

    def __init__(self) -> None:
        self.held = b""
        self.ended = False

    def more(self) -> bool:
        """Whether the rest of a paste waits: on a terminal, where nobody types as fast."""
        return sys.stdin.isatty() and (b"\n" in self.held or bool(select.select([0], [], [], 0)[0]))

    def next(self, interview: Interview, screen: Screen) -> str | None:
        """Return the next line; None where there are no more, or the interview has ended."""
        while b"\n" not in self.held and not self.ended:
            if select.select([0], [], [], _LOOK)[0]:
                read = os.read(0, 65536)
                self.held += read
                self.ended = not read
            else:
                said = interview.look()
                if said:
                    lines: list[Line] = [[]]
                    screen.print(lines)
                    _say(said, screen)
                    return None
        line, found, self.held = self.held.partition(b"\n")
        if not found and not line:
            return None
        return line.decode(sys.stdin.encoding or "utf-8", "replace").rstrip("\r")
