"""The two streams of a command: what it says, where, in which language and colours."""

from __future__ import annotations

import codecs
import os
import re
import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from ..practice.errors import Trouble
from ..practice.home import reason
from .language import Colour
from .paging import pager, turn_pages
from .shades import COLOURS, DARK
from .text import Line, cells, safe, wrap
from .words import say

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from rich.console import Console
    from rich.text import Text

__all__ = [
    "STYLES", "WIDEST", "ReaderLeft", "Screen", "Unwritten", "flushed", "hush", "plainly",
    "prepare", "speaks_utf8",
]  # fmt: skip

STYLES = {
    "": "none",
    "bold": "bold",
    "dim": "dim",
    "pass": "bold green",
    "fail": "bold red",
    "error": "bold red",
    "wrong": "red",
    "right": "green",
    "note": "yellow",
    "code": "cyan",
    # The shades of `heat`, in letters that can be read on them.
    **{
        f"heat{step}": f"{'#ffffff' if step < DARK else '#000000'} on {colour}"
        for step, colour in enumerate(COLOURS)
    },
}

WIDEST = 100
_ANSWERS = {"": False, "n": False, "no": False, "y": True, "yes": True}
# A command on a line of its own, or before a wide gap and what it is for.
_COMMAND = re.compile(r"(\s*)(attn-kata(?: \S+)+)((?:\s{2,}.*|\s*))", re.DOTALL)

# What an ASCII console shows for the few signs that the screens draw with.
_PLAIN = {
    "×": "x", "√": "sqrt ", "│": "|", "±": "+/-", "·": ".", "…": "...", "≠": "!=", "→": "->",
    "░": ".", "▒": "+", "▓": "#", "█": "@", "∞": "~", "✓": "v", "Σ": "sum ", "▌": "|",
    "ᵀ": "^T", "−": "-", "≤": "<=", "–": "-", "’": "'", "é": "e",
    "▁": "_", "▂": "_", "▃": "-", "▄": "-", "▅": "=", "▆": "=", "▇": "#", "↓": "v",
    "├": "|", "─": "-",
}  # fmt: skip


def prepare() -> None:
    """Make the streams able to print anything: no name and no locale may stop a command.

    One that was closed (`>&-`) takes what is written, and keeps it from everybody.
    """
    codecs.register_error("attn-kata", _plainly)
    for name in ("COLUMNS", "LINES"):
        if not os.environ.get(name, "").strip("0"):
            # Nothing can be drawn in no columns: whoever says so does not know.
            os.environ.pop(name, None)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # In order, so that each has its own number for what this starts.
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="attn-kata")  # type: ignore[attr-defined]


def speaks_utf8(stream: TextIO) -> bool:
    """Whether a stream writes UTF-8."""
    return (stream.encoding or "").lower().replace("-", "").startswith("utf8")


def plainly(text: str, stream: TextIO) -> str:
    """Return a text with what a stream cannot write spelt as one that was prepared spells it."""
    if speaks_utf8(stream):
        return text
    return text.encode(stream.encoding or "ascii", "attn-kata").decode(stream.encoding or "ascii")


def _plainly(fault: UnicodeError) -> tuple[str, int]:
    assert isinstance(fault, UnicodeEncodeError)
    bad = fault.object[fault.start : fault.end]
    plain = (_PLAIN.get(char) or char.encode("ascii", "backslashreplace").decode() for char in bad)
    return "".join(plain), fault.end


class ReaderLeft(Exception):
    """Whoever read the output went away.

    No OSError, which typer would end the program for with 1: a verdict's status.
    """


class Unwritten(Exception):
    """A stream takes nothing more, as on a full disk: the system's reason."""


def flushed(stream: TextIO) -> None:
    """Write out what a stream still holds. Raise Unwritten where it cannot be."""
    with _writing():
        stream.flush()


@contextmanager
def _writing() -> Generator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as fault:
        raise Unwritten(reason(fault)) from None


def hush(*streams: TextIO) -> None:
    """Say nothing more where nobody reads: the interpreter's last flush would change the status."""
    for stream in streams:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


class Screen:
    """Prints lines to standard output, and what is about the command to standard error."""

    def __init__(self, language: str, source: str = "", colour: Colour = Colour.auto) -> None:
        self.language = language
        self.source = source
        self.coloured = colour

    def say(self, key: str, **values: object) -> str:
        """Return a sentence in the screen's language."""
        return say(key, self.language, **values)

    @cached_property
    def out(self) -> Console:
        """Standard output."""
        return _console(sys.stdout, self.coloured)

    @cached_property
    def err(self) -> Console:
        """Standard error."""
        return _console(sys.stderr, self.coloured)

    @property
    def width(self) -> int:
        """Columns to draw in; 80 where nobody says, and no more than can be read at once."""
        return min(self.out.width, WIDEST)

    @property
    def colour(self) -> bool:
        """Whether standard output shows colours."""
        return self.out.color_system is not None and not self.out.no_color

    def typed(self, command: str) -> str:
        """Return a command as it is to be typed: in the language that this one was asked for in."""
        if self.source != "--lang" or "--lang" in command:
            return command
        return f"{command} --lang {self.language}"

    @property
    def may_ask(self) -> bool:
        """Whether there is somebody to answer a question, which stands on standard error."""
        return sys.stdin.isatty() and sys.stderr.isatty()

    def ask(self, text: str) -> bool:
        """Ask for yes or no; an empty answer is no. An interruption ends the line first."""
        try:
            while (answer := self._answer(f"{text} [y/N]:")) not in _ANSWERS:
                self.tell([[(self.say("yes-or-no"), "")]])
        except KeyboardInterrupt:
            self.tell([[]])
            raise
        return _ANSWERS[answer]

    def _answer(self, text: str) -> str:
        *before, last = wrap(text, self.err.width - 1)
        self.tell([[(row, "")] for row in before])
        sys.stderr.write(f"{last} ")
        sys.stderr.flush()
        typed = sys.stdin.readline()
        if not typed:
            raise KeyboardInterrupt
        return typed.strip().lower()

    def write(self, text: str) -> None:
        """Write a line for a program to standard output, at once."""
        try:
            with _writing():
                sys.stdout.write(f"{text}\n")
            flushed(sys.stdout)
        except BrokenPipeError:
            raise ReaderLeft from None

    def print(self, lines: Iterable[Line]) -> None:
        """Print lines to standard output."""
        self._print(self.out, lines)

    def page(self, lines: Iterable[Line]) -> None:
        """Print lines, by the person's pager where they are more than the terminal shows."""
        drawn = list(lines)
        command = pager(self.out, len(drawn))
        if command is None:
            self.print(drawn)
            return
        with self.out.capture() as captured:
            self.print(drawn)
        turn_pages(command, captured.get())

    def drawn(self, lines: Iterable[Line]) -> list[Text]:
        """Return lines as rich takes them, for what is drawn in place."""
        return [self._text(line) for line in lines]

    def note(self, text: str) -> None:
        """Say something beside the answer, on standard error."""
        label = self.say("note") + self.say("colon")
        rows = wrap(text, max(20, min(self.err.width, WIDEST) - cells(label)))
        blank = " " * cells(label)
        lines = [[(blank if at else label, "note"), (row, "")] for at, row in enumerate(rows)]
        self._print(self.err, lines)

    def own_up(self, troubles: Iterable[Trouble]) -> None:
        """Say what could not be remembered."""
        for trouble in troubles:
            values = {name: safe(str(value)) for name, value in trouble.values.items()}
            self.note(self.say(trouble.key, **values))

    def tell(self, lines: Iterable[Line]) -> None:
        """Print lines to standard error."""
        self._print(self.err, lines)

    def waiting(self, text: str) -> AbstractContextManager[object]:
        """Turn a spinner on standard error while something works, on a terminal alone."""
        from contextlib import nullcontext

        # Asked first: where nobody looks, what draws need not be loaded.
        if not sys.stderr.isatty() or not self.err.is_terminal or self.err.is_dumb_terminal:
            return nullcontext()
        from rich.text import Text

        plain = not speaks_utf8(sys.stderr)
        label = wrap(text, max(8, self.err.width - 4))[0]
        return self.err.status(Text(label), spinner="line" if plain else "dots")

    def _typed(self, text: str) -> str:
        """The same for a command in a table or a brief, with what stands around it."""
        found = _COMMAND.fullmatch(text)
        return text if found is None else found[1] + self.typed(found[2]) + found[3]

    def _print(self, console: Console, lines: Iterable[Line]) -> None:
        for line in lines:
            text = self._text(line)
            with _writing():
                console.print(text, soft_wrap=True)

    def _text(self, line: Line) -> Text:
        from rich.text import Text

        # Whatever drew it, a command is printed as it is to be typed.
        spans = [(self._typed(text) if style == "code" else text, style) for text, style in line]
        return Text.assemble(*[(text, f"kata.{style or 'plain'}") for text, style in spans])


def _console(stream: TextIO, colour: Colour) -> Console:
    from rich.console import Console
    from rich.theme import Theme

    styles = {f"kata.{name or 'plain'}": style for name, style in STYLES.items()}

    class Pipe(Console):
        """rich would end the program with 1, which means another thing here."""

        def on_broken_pipe(self) -> None:
            raise ReaderLeft

    asked: dict[str, Any] = {
        Colour.auto: {},
        Colour.always: {"color_system": "256", "no_color": False},
        Colour.never: {"color_system": None},
    }[colour]
    return Pipe(
        file=stream, highlight=False, markup=False, emoji=False, theme=Theme(styles), **asked
    )
