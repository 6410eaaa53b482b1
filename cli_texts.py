"""The commands that show what is written: briefs, hints, model answers and pages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .cli_options import OptionalKata
from .kata.catalogue import Kata, known
from .practice.completion import hint_numbers, page_ids
from .practice.errors import Refusal
from .practice.pages import grouped, page_called, pages_of
from .practice.targets import current, read_text
from .practice.workspace import Workspace
from .terminal.program import Exit
from .terminal.screen import Screen

__all__ = ["explain", "hint", "show", "solution"]


def show(
    ctx: typer.Context,
    kata: OptionalKata = None,
    live: Annotated[bool, typer.Option("--live")] = False,
    whole: Annotated[bool, typer.Option("--all")] = False,
) -> int:
    """Show a kata's brief, or what its mask does to a sequence that grows."""
    screen: Screen = ctx.obj
    found = current(kata, Workspace(), "show")
    if live:
        from .practice.decoding import experiment
        from .terminal.live import play

        with screen.waiting(screen.say("live-begins")):
            stages = experiment(found)
        play(screen, stages, found.id)
        return Exit.PASS
    from .terminal.brief import markdown_lines
    from .terminal.lists import next_lines
    from .terminal.text import wrap

    whole = whole or _passed(found)
    brief = markdown_lines(found.brief(screen.language, whole=whole), screen.width)
    onward = next_lines((f"attn-kata learn {found.id}", f"attn-kata watch {found.id}"),
                        screen.language)  # fmt: skip
    kept = [] if whole else wrap(screen.say("show-kept"), screen.width)
    screen.page([*brief, [], *([(row, "dim")] for row in kept), [], *onward])
    return Exit.PASS


def hint(
    ctx: typer.Context,
    kata: OptionalKata = None,
    number: Annotated[
        int | None, typer.Argument(metavar="[N]", autocompletion=hint_numbers, show_default=False)
    ] = None,
) -> int:
    """Give a hint."""
    from .practice.hints import found_last, hints_on
    from .practice.interview.store import Store
    from .practice.record import Recorder
    from .terminal.lists import hint_lines, hints_over_lines

    screen: Screen = ctx.obj
    workspace = Workspace()
    if number is None and kata is not None and kata.isdecimal():
        kata, number = None, int(kata)
    asked = current(kata, workspace, "hint")
    recorder = Recorder(workspace)
    hints = hints_on(asked, screen.language, found_last(asked, recorder.history.story()))
    count = len(hints.texts)
    wanted = number if number is not None else workspace.hints_seen(asked.id, hints.step) + 1
    if number is not None and not 0 < number <= count:
        raise Refusal("no-hint", kata=asked.id, count=count, number=number,
                      commands=(f"hint {asked.id}",))  # fmt: skip
    if wanted > count:
        screen.print(hints_over_lines(asked.id, count, screen.language, screen.width))
    else:
        recorder.hinted(asked.id, wanted, hints.step)
        Store().looked_up(f"hint {asked.id}")
        screen.print(hint_lines(asked.id, hints, wanted, screen.language, screen.width))
    screen.own_up(recorder.troubles)
    return Exit.PASS


def solution(
    ctx: typer.Context,
    kata: OptionalKata = None,
    yes: Annotated[bool, typer.Option("--yes", "-y")] = False,
    diff: Annotated[Path | None, typer.Option("--diff", metavar="FILE")] = None,
) -> int:
    """Show a model answer."""
    from .practice.interview.store import Store
    from .practice.record import Recorder
    from .terminal.lists import next_lines
    from .terminal.solution import diff_lines, solution_lines

    screen: Screen = ctx.obj
    asked = current(kata, Workspace(), "solution")
    mine = read_text(diff) if diff is not None else None
    if not yes and not _may_spoil(screen, asked):
        screen.note(screen.say("solution-kept"))
        return Exit.PASS
    recorder = Recorder(Workspace())
    recorder.spoiled(asked.id)
    Store().looked_up(f"solution {asked.id}")
    if mine is None:
        lines = solution_lines(asked.id, asked.shown, screen.language)
    else:
        lines = diff_lines(str(diff), mine, asked.shown, screen.language)
    onward = [[], *next_lines((f"attn-kata watch {asked.id}",), screen.language)]
    # In a pipe it is a file of Python, or a patch.
    screen.page([*lines, *(onward if screen.out.is_terminal else [])])
    screen.own_up(recorder.troubles)
    return Exit.PASS


def explain(
    ctx: typer.Context,
    ident: Annotated[str | None, typer.Argument(metavar="[ID]", autocompletion=page_ids)] = None,
) -> int:
    """Explain a mistake or remark."""
    from .practice.interview.store import Store
    from .terminal.brief import markdown_lines
    from .terminal.lists import next_lines
    from .terminal.pages import pages_lines

    screen: Screen = ctx.obj
    kata = known(ident) if ident is not None else None
    if ident is None:
        screen.page(pages_lines(grouped(), screen))
    elif kata is not None:
        screen.page(pages_lines(pages_of(kata), screen))
    else:
        Store().looked_up(f"explain {ident}")
        page = markdown_lines(page_called(ident, screen.language), screen.width)
        screen.page([*page, [], *next_lines(("attn-kata watch",), screen.language)])
    return Exit.PASS


def _may_spoil(screen: Screen, kata: Kata) -> bool:
    """Ask before an answer is spoiled; nobody asks who has passed already."""
    if _passed(kata):
        return True
    if not screen.may_ask:
        raise Refusal("solution-needs-yes", commands=(f"solution {kata.id} --yes",))
    return screen.ask(screen.say("solution-ask", kata=kata.id))


def _passed(kata: Kata) -> bool:
    from .practice.history import History

    return History().standing().get(kata.id) == "passed"
