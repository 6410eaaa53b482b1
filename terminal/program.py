"""How a command line is run, and how it ends: faults become words and an exit status."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from enum import IntEnum
from typing import Any

import typer

from ..practice.errors import Refusal
from ..practice.settings import Settings
from .help import translate
from .language import choose, choose_colour
from .packs import take_packs
from .screen import ReaderLeft, Screen, Unwritten, flushed, hush, prepare

__all__ = ["Exit", "run"]


class Exit(IntEnum):
    """How a command ends.

    PASS: all is well, every verdict is pass. FAIL: some verdict is fail or error.
    USAGE: what was typed cannot be done. INTERRUPTED: the person stopped it.
    CLOSED: whoever read the output went away.
    """

    PASS = 0
    FAIL = 1
    USAGE = 2
    INTERRUPTED = 130
    CLOSED = 141


def run(app: typer.Typer, name: str, given: list[str]) -> int:
    """Run a command line of the program called name, and return its exit status."""
    prepare()
    settings = Settings()
    language = choose(given, os.environ, sys.stdout.encoding, settings.get("lang"))
    colour = choose_colour(given, os.environ, settings.get("color"))
    screen = Screen(language.code, language.source, colour)
    try:
        screen.own_up(settings.troubles)
        take_packs(screen, given, settings.get("katas"))
        return _guarded(_command(app, screen), name, given, screen)
    except KeyboardInterrupt:
        return _interrupted(screen)
    except (ReaderLeft, BrokenPipeError):
        hush(sys.stdout)
        return Exit.CLOSED
    except Unwritten as full:
        hush(sys.stdout)
        from .usage import refused

        with suppress(Unwritten):
            screen.tell(refused(Refusal("cannot-write-out", reason=str(full)), screen))
        return Exit.USAGE


def _guarded(command: Any, name: str, given: list[str], screen: Screen) -> int:
    from .usage import is_usage_fault, refused, usage_lines

    try:
        status = command(given, prog_name=name, standalone_mode=False, obj=screen)
        flushed(sys.stdout)
        # typer may turn an interruption into its status.
        if status != Exit.INTERRUPTED:
            return int(status or 0)
    except Refusal as refusal:
        screen.tell(refused(refusal, screen))
        return Exit.USAGE
    except (KeyboardInterrupt, typer.Abort):
        pass
    except Exception as fault:
        if not is_usage_fault(fault):
            raise
        typed = [word for word in given if word in command.commands]
        screen.tell(usage_lines(fault, typed, screen.language, screen.err.width))
        return Exit.USAGE
    return _interrupted(screen)


def _interrupted(screen: Screen) -> int:
    screen.tell([[(screen.say("interrupted"), "bold")]])
    return Exit.INTERRUPTED


def _command(app: typer.Typer, screen: Screen) -> Any:
    """Build the program, its texts in the screen's language and `--lang` everywhere."""
    command = typer.main.get_command(app)
    translate(command, screen.language)
    return command
