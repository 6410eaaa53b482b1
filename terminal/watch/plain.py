"""Watching in a pipe and on a terminal that cannot redraw: one verdict below the other."""

from __future__ import annotations

from dataclasses import replace

from ..look import Look
from ..screen import Screen
from ..text import safe
from .rounds import Rounds
from .views import verdict_lines

__all__ = ["run"]


def run(screen: Screen, rounds: Rounds) -> None:
    """Print verdicts until the person interrupts it."""
    screen.note(screen.say("watch-begins", file=safe(str(rounds.file)), kata=rounds.kata.id))
    try:
        _follow(screen, rounds)
    except KeyboardInterrupt:
        if screen.may_ask:
            # The terminal has written `^C`, and ended no line.
            screen.tell([[]])
        raise


def _follow(screen: Screen, rounds: Rounds) -> None:
    said: list[object] = []
    while True:
        if not rounds.step(rounds.wait()):
            continue
        look = Look(language=screen.language, width=screen.width, source=rounds.judged_source)
        report = rounds.session.report
        if report is not None and report.diagnosis:
            why = f"attn-kata explain {report.diagnosis[0].mistake}"
            look = replace(look, commands=((screen.say("next-why"), why),))
        screen.print([*verdict_lines(rounds, look, keys=False), []])
        # Once each: what could not be stored is not said at every save.
        fresh = [trouble for trouble in rounds.recorder.troubles if trouble not in said]
        said += fresh
        screen.own_up(fresh)
