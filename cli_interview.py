"""The command line of `interview`: hold one, go on with one, show how one went."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from .practice.completion import plans
from .practice.errors import Refusal
from .practice.interview.plan import Level
from .terminal.help import HelpCommand, HelpGroup
from .terminal.program import Exit
from .terminal.screen import Screen

__all__ = ["interview_app"]

interview_app = typer.Typer(
    cls=HelpGroup,
    context_settings={"help_option_names": ["--help", "-h"]},
    invoke_without_command=True,
    rich_markup_mode=None,
)


@interview_app.callback()
def interview(
    ctx: typer.Context,
    plan: Annotated[str, typer.Option(metavar="NAME", autocompletion=plans)] = "ladder",
    level: Annotated[Level, typer.Option(metavar="junior|mid|senior|staff")] = Level.junior,
    minutes: Annotated[float | None, typer.Option(metavar="MINUTES")] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", min=0, max=2**31)] = None,
    folder: Annotated[Path, typer.Option("--dir", metavar="DIR")] = Path(),
    resume: Annotated[bool, typer.Option("--resume")] = False,
    practice: Annotated[bool, typer.Option("--practice")] = False,
    plain: Annotated[bool, typer.Option("--plain")] = False,
    examiner: Annotated[str | None, typer.Option("--examiner", metavar="URL")] = None,
    model: Annotated[
        str, typer.Option("--examiner-model", metavar="NAME", show_default=False)
    ] = "",
) -> int:
    """Hold an interview."""
    if ctx.invoked_subcommand is not None:
        return Exit.PASS
    from .practice.interview import opening
    from .practice.interview.conduct import Interview
    from .practice.interview.judging import Examiner
    from .practice.interview.model import Model
    from .practice.interview.result import result_of
    from .practice.interview.store import Store
    from .practice.record import Recorder
    from .practice.workspace import Workspace
    from .terminal.interview.plain import is_silent
    from .terminal.interview.result import result_lines

    screen: Screen = ctx.obj
    if is_silent():
        raise Refusal("interview-silent", commands=("interview", "interview --help"))
    store = Store()
    reader = Model(examiner, model) if examiner else None
    with opening.only_one(store.folder), Examiner() as judge:
        if resume:
            session = opening.resume(store)
        else:
            session = opening.begin(
                store, plan=plan, level=level.value, minutes=minutes, seed=seed, practice=practice
            )
        led = Interview(
            session,
            store,
            judge,
            language=screen.language,
            folder=folder,
            recorder=Recorder(Workspace(), "interview"),
        )
        led.model = reader
        if plain or not _has_screen(screen):
            from .terminal.interview.plain import lead
        else:
            from .terminal.interview.app import lead
        lead(led, screen)
    if led.over and session.opened:
        screen.print(
            [
                [],
                *result_lines(
                    result_of(session, store.lookups(session.number)),
                    screen.language,
                    screen.width,
                    screen.typed,
                ),
            ]
        )
    return Exit.PASS


@interview_app.command(cls=HelpCommand)
def report(
    ctx: typer.Context,
    number: Annotated[int | None, typer.Argument(metavar="[N]", show_default=False)] = None,
    markdown: Annotated[Path | None, typer.Option("--markdown", metavar="FILE")] = None,
    html: Annotated[Path | None, typer.Option("--html", metavar="FILE")] = None,
    force: Annotated[bool, typer.Option("--force")] = False,
) -> int:
    """Show how an interview went."""
    from .practice.interview import opening
    from .practice.interview.exports import write
    from .practice.interview.result import result_of
    from .practice.interview.store import Store

    screen: Screen = ctx.obj
    store = Store()
    session = opening.finished(store, number)
    result = result_of(session, store.lookups(session.number))
    if markdown is not None:
        from .terminal.interview.markdown import markdown_text

        write(markdown, markdown_text(result, screen.language), force=force)
        screen.note(screen.say("result-saved", file=str(markdown)))
    if html is not None:
        from .terminal.interview.page import page_text

        write(html, page_text(result, screen.language), force=force)
        screen.note(screen.say("result-saved", file=str(html)))
    if markdown is None and html is None:
        from .terminal.interview.result import result_lines

        screen.print(result_lines(result, screen.language, screen.width, screen.typed))
    screen.own_up(store.troubles)
    return Exit.PASS


@interview_app.command("list", cls=HelpCommand)
def list_(ctx: typer.Context) -> int:
    """List the interviews that were held."""
    from .practice.bank import count_due
    from .practice.history import History
    from .practice.interview.past import past
    from .practice.interview.store import Store
    from .terminal.interview.past import past_lines

    screen: Screen = ctx.obj
    store = Store()
    results = past(store)
    if not results:
        raise Refusal("interview-none-yet", commands=("interview",))
    waiting = count_due(History().story())
    screen.page(past_lines(results, screen.language, screen.width, waiting))
    screen.own_up(store.troubles)
    return Exit.PASS


def _has_screen(screen: Screen) -> bool:
    """Whether there is a terminal to draw on and to read keys from, on all three streams."""
    streams = (sys.stdin, sys.stdout, sys.stderr)
    return all(stream.isatty() for stream in streams) and not screen.out.is_dumb_terminal
