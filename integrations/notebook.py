"""`%load_ext attn_kata`: a cell that is judged, a stub in a cell, and hints, as magics of IPython.

Progress and history are those of the command line. What is written in a cell marked with
`%%kata` is one's own work on that kata, so that it is recorded wherever the notebook lies.
"""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ..checker import Options
from ..practice.errors import Refusal
from ..practice.recognise import kata_called
from ..practice.record import Recorder
from ..practice.workspace import Workspace
from ..terminal.screen import Screen
from ..terminal.shown import WIDTH, Shown
from .api import judge, language_of_user
from .written import cells_run, notebook_file

__all__ = ["register"]

_MASKS = ("keep", "drop", "additive")
_LANGUAGES = ("en", "zh")


def register(shell: Any) -> None:
    """Give an IPython shell the magics."""
    magics = _Magics(shell)
    shell.register_magic_function(_told(magics.kata), "cell", "kata")
    shell.register_magic_function(_told(magics.start), "line", "kata_start")
    shell.register_magic_function(_told(magics.hint), "line", "kata_hint")


def _told(magic: Callable[..., Any]) -> Callable[..., Any]:
    """Have what cannot be done said in words, without a traceback."""

    def careful(*given: str) -> Any:
        screen = Screen(language_of_user())
        try:
            return magic(screen, *given)
        except Refusal as refusal:
            from ..terminal.refusal import refusal_lines

            return Shown(
                refusal_lines(
                    refusal.key, refusal.values, refusal.notes, refusal.commands,
                    language=screen.language, width=WIDTH,
                )
            )  # fmt: skip

    careful.__doc__ = magic.__doc__
    return careful


class _Magics:
    """What the magics do. kata: the one that was begun or judged last in this notebook."""

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        self.latest: str | None = None

    def kata(self, screen: Screen, line: str, cell: str) -> Any:
        """Run a cell and judge it, with what it needs of the cells that were run before it.

        %%kata KATA [--class NAME] [--mask keep|drop|additive] [--seed N] [--timeout SECONDS]
                    [--heat] [--lang en|zh] [--no-record]
        """
        given = _options(line)
        asked = kata_called(given.kata or self.latest or _which())
        self.latest = asked.id
        cells = self._cells(line, cell)
        self.shell.run_cell(cell, store_history=False)
        options = Options(
            class_name=given.class_name, mask=given.mask, seed=given.seed, heat=given.heat,
            timeout=given.timeout, beside=str(Path.cwd()),
        )  # fmt: skip
        language = given.lang or screen.language
        called = self._notebook()
        with notebook_file(cells, None, called.name) as found:
            report = judge(asked.id, found, options, language)
            if given.record:
                recorder = Recorder(Workspace(), "notebook", language=language)
                recorder.record_cell(report, cell, called)
                screen.own_up(recorder.troubles)
        return report

    def start(self, screen: Screen, line: str) -> Shown:
        """Show a kata's brief, and put its stub into the next cell: %kata_start KATA."""
        from ..terminal.brief import markdown_lines

        asked = kata_called(line.strip() or _which())
        self.latest = asked.id
        recorder = Recorder(Workspace(), "notebook", language=screen.language)
        recorder.started(asked.id, self._notebook())
        self.shell.set_next_input(f"%%kata {asked.id}\n{asked.stub(screen.language)}")
        screen.own_up(recorder.troubles)
        # As in `show`: what an interviewer keeps back is for afterwards.
        whole = recorder.history.standing().get(asked.id) == "passed"
        brief = asked.brief(screen.language, whole=whole, shell=False)
        return Shown(markdown_lines(brief.rstrip(), WIDTH))

    def hint(self, screen: Screen, line: str) -> Shown:
        """Give the next hint, or the one with a number: %kata_hint [KATA] [N]."""
        from ..practice.hints import found_last, hints_on
        from ..terminal.lists import hint_lines, hints_over_lines

        words = line.split()
        number = int(words.pop()) if words and words[-1].isdigit() else None
        asked = kata_called(words[0] if words else self.latest or _which())
        recorder = Recorder(Workspace())
        hints = hints_on(asked, screen.language, found_last(asked, recorder.history.story()))
        count = len(hints.texts)
        seen = recorder.workspace.hints_seen(asked.id, hints.step)
        wanted = seen + 1 if number is None else number
        if number is not None and not 0 < number <= count:
            raise Refusal("no-hint", kata=asked.id, count=count, number=number)
        if wanted > count:
            return Shown(hints_over_lines(asked.id, count, screen.language, WIDTH)[:1])
        recorder.hinted(asked.id, wanted, hints.step)
        screen.own_up(recorder.troubles)
        return Shown(hint_lines(asked.id, hints, wanted, screen.language, WIDTH, shell=False))

    def _cells(self, line: str, cell: str) -> Sequence[str]:
        """What was run, this cell last and by the number that stands beside it."""
        before = cells_run(self.shell)
        # It is among them already, unless it was run silently.
        if before and cell.strip() in before[-1]:
            before.pop()
        return [*before, f"%%kata {line}\n{cell}"]

    def _notebook(self) -> Path:
        """The notebook's file, as far as its front end tells; else a name in this folder."""
        told = self.shell.user_ns.get("__vsc_ipynb_file__") or os.environ.get("JPY_SESSION_NAME")
        return Path(str(told)) if told else Path("notebook.ipynb").absolute()


class _Parser(argparse.ArgumentParser):
    """Says what is wrong with a line in the way of the commands."""

    def error(self, message: str) -> Any:
        """Raise Refusal."""
        raise Refusal("bad-usage", reason=message, commands=("check --help",))


def _options(line: str) -> argparse.Namespace:
    parser = _Parser(prog="%%kata", add_help=False)
    parser.add_argument("kata", nargs="?")
    parser.add_argument("--class", dest="class_name")
    parser.add_argument("--mask", choices=_MASKS, default="keep")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--timeout", type=float, default=20.0)
    parser.add_argument("--lang", choices=_LANGUAGES)
    parser.add_argument("--heat", action="store_true")
    parser.add_argument("--no-record", dest="record", action="store_false")
    return parser.parse_args(shlex.split(line))


def _which() -> str:
    raise Refusal("magic-which", commands=("list",))
