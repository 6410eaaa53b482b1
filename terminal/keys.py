"""Single keys from a terminal, where there is one that gives them."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .screen import Screen

if TYPE_CHECKING:
    from prompt_toolkit.input import Input

__all__ = ["Keys", "keys"]


class Keys:
    """A keyboard that is read key by key."""

    def __init__(self, source: Input) -> None:
        self.source = source

    def fileno(self) -> int:
        """Return the descriptor that can be read when a key was pressed."""
        return self.source.fileno()

    def read(self) -> list[str]:
        """Return the keys pressed since the last call, Ctrl-C as KeyboardInterrupt."""
        from prompt_toolkit.keys import Keys as Names

        pressed: list[str] = []
        for press in (*self.source.read_keys(), *self.source.flush_keys()):
            if press.key == Names.ControlC:
                raise KeyboardInterrupt
            if press.key == Names.ControlD:
                pressed.append("q")
            elif press.key == Names.ControlZ:
                self._suspend()
            else:
                pressed.append(press.data.lower())
        if self.source.closed:
            pressed.append("q")
        return pressed

    def _suspend(self) -> None:
        with self.source.cooked_mode():
            os.kill(0, signal.SIGTSTP)


@contextmanager
def keys(screen: Screen) -> Generator[Keys | None]:
    """Give the keyboard, or None in a pipe and on a terminal that cannot redraw."""
    console = screen.out
    if not (sys.stdin.isatty() and console.is_terminal) or console.is_dumb_terminal:
        yield None
        return
    from prompt_toolkit.input import create_input

    source = create_input(sys.stdin)
    with source.raw_mode():
        yield Keys(source)
    source.close()
