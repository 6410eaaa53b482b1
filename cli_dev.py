"""The commands of those who work on the project: `attn-kata dev`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .terminal.help import HelpCommand, HelpGroup
from .terminal.program import Exit
from .terminal.screen import Screen

__all__ = ["dev"]

dev = typer.Typer(
    cls=HelpGroup,
    context_settings={"help_option_names": ["--help", "-h"]},
    no_args_is_help=True,
    rich_markup_mode=None,
)


@dev.command("check", cls=HelpCommand)
def dev_check(
    ctx: typer.Context,
    folder: Annotated[Path | None, typer.Argument(metavar="[FOLDER]")] = None,
) -> int:
    """Look through the project's content for what is missing."""
    from .dev import lint

    screen: Screen = ctx.obj
    problems: list[str] = lint.run(folder)
    screen.print([[(problem, "")] for problem in problems])
    key = "dev-count" if problems else "dev-clean"
    screen.tell([[(screen.say(key, count=len(problems)), "bold")]])
    return Exit.FAIL if problems else Exit.PASS
