"""The watch command: a verdict at every save, on a screen of its own or line after line."""

from __future__ import annotations

import sys

from ...checker import Bench
from ...practice.judging import Wishes
from ...practice.record import Recorder
from ...practice.targets import Target
from ..screen import Screen
from .rounds import Rounds

__all__ = ["watch"]


def watch(screen: Screen, target: Target, bench: Bench, recorder: Recorder, wishes: Wishes) -> None:
    """Judge a file at every save, until the person leaves."""
    rounds = Rounds(target, bench, recorder, wishes)
    try:
        if _has_keys(screen):
            from .app import WatchApp

            WatchApp(screen, rounds).run()
        else:
            from .plain import run

            run(screen, rounds)
    finally:
        rounds.close()


def _has_keys(screen: Screen) -> bool:
    """Whether there is a keyboard, and a terminal that can be drawn on in place."""
    ends = (sys.stdin, sys.stdout)
    return all(end.isatty() for end in ends) and not screen.out.is_dumb_terminal
