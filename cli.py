"""The command line: which commands there are, and what all of them take.

Nothing here imports torch, and nothing slow is imported before the judge has been started: of
the commands only the one that is typed is loaded.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from . import __version__
from .practice.errors import Refusal
from .terminal.help import HelpCommand, HelpGroup
from .terminal.language import Colour, Language, command_in
from .terminal.optional import CheckCommand
from .terminal.program import Exit, run
from .terminal.screen import Screen

__all__ = ["Exit", "main", "program"]

_NAME = "attn-kata"
_SETTINGS = {"help_option_names": ["--help", "-h"]}
# Where each command is at home, in the order of `--help`.
_COMMANDS = {
    "list": "records.list_katas",
    "show": "texts.show",
    "learn": "learn.learn",
    "start": "files.start",
    "check": "check.check",
    "watch": "check.watch",
    "next": "files.next_kata",
    "run": "files.run_file",
    "reset": "files.reset",
    "hint": "texts.hint",
    "solution": "texts.solution",
    "debug": "debug.debug",
    "grade": "grade.grade",
    "explain": "texts.explain",
    "questions": "learn.questions",
    "history": "records.history",
    "due": "records.due",
    "forget": "records.forget",
    "config": "records.config",
    "lsp": "judges.lsp",
    "stop": "judges.stop",
    "doctor": "judges.doctor",
    "demo": "check.demo",
}
_GROUPS = {"interview": "interview.interview_app", "dev": "dev.dev"}


def program(given: Sequence[str] = ()) -> typer.Typer:
    """Put the program together: of what is typed the command alone, else all of them."""
    typed = command_in(given)
    wanted = {typed} if typed in {*_COMMANDS, *_GROUPS} else {*_COMMANDS, *_GROUPS}
    app = typer.Typer(
        cls=HelpGroup,
        context_settings=_SETTINGS,
        invoke_without_command=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(begin)
    for name, home in _COMMANDS.items():
        if name in wanted and (name != "explain" or _has_pages()):
            kind = CheckCommand if name == "check" else HelpCommand
            app.command(name, cls=kind)(_loaded(home))
    for name, home in _GROUPS.items():
        if name in wanted:
            app.add_typer(_loaded(home), name=name)
    return app


def _loaded(home: str) -> Any:
    module, _, name = home.partition(".")
    return getattr(import_module(f".cli_{module}", __package__), name)


def _has_pages() -> bool:
    from .practice.pages import has_pages

    return has_pages()


def begin(
    ctx: typer.Context,
    # Read before typer is; named here so that it is accepted, completed and explained.
    lang: Annotated[  # noqa: ARG001
        Language | None, typer.Option(metavar="en|zh", expose_value=False)
    ] = None,
    color: Annotated[  # noqa: ARG001
        Colour | None, typer.Option(metavar="auto|always|never", expose_value=False)
    ] = None,
    katas: Annotated[  # noqa: ARG001
        list[Path] | None, typer.Option(metavar="FOLDER", expose_value=False)
    ] = None,
    version: Annotated[bool, typer.Option("--version", is_eager=True)] = False,
    edit: Annotated[bool, typer.Option("--edit", "-e")] = False,
) -> int:
    """Say where one stands, and do what comes next, where no command is given."""
    screen: Screen = ctx.obj
    if version:
        screen.write(f"{_NAME} {__version__}")
        raise typer.Exit
    if ctx.invoked_subcommand is None:
        return _home(screen, edit=edit)
    if edit:
        raise Refusal("edit-alone", commands=("--edit", "next --edit"))
    return Exit.PASS


def _home(screen: Screen, *, edit: bool) -> int:
    from .cli_check import watch_over
    from .practice.editor import edit as edit_file
    from .practice.editor import editor_words
    from .practice.judging import Wishes
    from .practice.onward import take, where
    from .practice.record import Recorder
    from .practice.settings import Settings
    from .practice.targets import Target
    from .practice.workspace import Workspace
    from .terminal.home import entered, home_lines

    recorder = Recorder(Workspace(), "watch", language=screen.language)
    editor = editor_words(Settings().get("editor"), os.environ) if edit else []
    place = where(recorder)
    asked = place.step is not None and sys.stdin.isatty() and screen.out.is_terminal
    screen.print(home_lines(place, screen, editor, asked=asked))
    screen.own_up(recorder.troubles)
    if place.step is None or not asked or not entered(screen):
        return Exit.PASS
    file = take(place.step, recorder).file
    if edit:
        edit_file(editor, file)
    return watch_over(
        screen, Target(place.step.kata, file), recorder, Wishes(language=screen.language, heat=True)
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    return run(program(given), _NAME, given)
