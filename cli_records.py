"""The commands on what is kept about a person: history, what is due, settings."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from .cli_options import OptionalKata
from .practice.completion import setting_names, setting_values
from .practice.errors import Refusal
from .practice.recognise import kata_called
from .practice.settings import SETTINGS, Settings
from .terminal.language import choose
from .terminal.program import Exit
from .terminal.screen import Screen

__all__ = ["config", "due", "forget", "history", "list_katas"]


def _values(ctx: typer.Context, incomplete: str) -> list[str]:
    return setting_values(ctx.params.get("name") or "", incomplete)


def list_katas(ctx: typer.Context) -> int:
    """List the katas and what was passed."""
    from .kata.catalogue import katas
    from .practice.history import History
    from .practice.schedule import standings
    from .practice.sittings import sittings
    from .terminal.debug import practice_lines
    from .terminal.ladder import kata_lines, onward_lines

    screen: Screen = ctx.obj
    history = History()
    story = history.story()
    stands = standings(sittings(story), history.standing())
    ladder = kata_lines(katas(), stands, screen.language, screen.width)
    bugs = practice_lines(story, screen)
    screen.page([*ladder, *bugs, [], *onward_lines(katas(), stands, screen.language)])
    screen.own_up(history.troubles)
    return Exit.PASS


def history(
    ctx: typer.Context,
    kata: OptionalKata = None,
    as_json: Annotated[bool, typer.Option("--json")] = False,
    as_csv: Annotated[bool, typer.Option("--csv")] = False,
) -> int:
    """Show what was judged before."""
    from .practice.history import History
    from .practice.summary import summary
    from .terminal.debug import practice_lines
    from .terminal.progress import show_history

    screen: Screen = ctx.obj
    if as_json and as_csv:
        raise Refusal("json-or-csv", commands=("history --json", "history --csv"))
    asked = None if kata is None else kata_called(kata)
    past = History()
    story = past.story()
    told = summary(story, asked and asked.id)
    show_history(screen, told, asked, "json" if as_json else "csv" if as_csv else None)
    if not as_json and not as_csv:
        mine = [one for one in story if asked is None or one.kata == asked.id]
        screen.print(practice_lines(mine, screen))
    screen.own_up(past.troubles)
    return Exit.PASS


def forget(
    ctx: typer.Context,
    kata: OptionalKata = None,
    last: Annotated[int | None, typer.Option("--last", metavar="N", min=1)] = None,
    everything: Annotated[bool, typer.Option("--all")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y")] = False,
) -> int:
    """Take checks out of the history."""
    from .practice.history import History
    from .practice.summary import checks
    from .terminal.forget import agreed, forgotten_lines, nothing_lines

    screen: Screen = ctx.obj
    if last is not None and everything:
        raise Refusal("forget-either", commands=("forget --last 2", "forget --all"))
    asked = None if kata is None else kata_called(kata).id
    past = History()
    mine = [each for each in checks(past.story()) if asked in {None, each.kata}]
    chosen = mine if everything else mine[-(last or 1) :]
    if not chosen:
        screen.print(nothing_lines(asked, screen))
    elif yes or len(chosen) == 1 or agreed(screen, chosen, asked, everything=everything):
        if past.take_back(chosen):
            screen.print(forgotten_lines(chosen, screen))
    else:
        screen.note(screen.say("forget-kept"))
    screen.own_up(past.troubles)
    return Exit.FAIL if past.troubles else Exit.PASS


def due(ctx: typer.Context) -> int:
    """Show what to write again today."""
    from .practice.bank import count_due
    from .practice.history import History
    from .practice.sittings import sittings
    from .terminal.debug import practice_lines
    from .terminal.progress import show_due

    screen: Screen = ctx.obj
    past = History()
    story = past.story()
    show_due(screen, sittings(story))
    if waiting := count_due(story):
        screen.print([[(screen.say("questions-due", count=waiting), "")]])
    screen.print(practice_lines(story, screen))
    screen.own_up(past.troubles)
    return Exit.PASS


def config(
    ctx: typer.Context,
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", autocompletion=setting_names,
                                               show_default=False)] = None,
    value: Annotated[str | None, typer.Argument(metavar="[VALUE]", autocompletion=_values,
                                                show_default=False)] = None,
    unset: Annotated[bool, typer.Option("--unset")] = False,
) -> int:  # fmt: skip
    """Show or change the settings."""
    from .terminal.settings import settings_lines

    screen: Screen = ctx.obj
    settings = Settings()
    if name is None and unset:
        raise Refusal("setting-which", commands=("config",))
    if value is not None and unset:
        raise Refusal("setting-both", commands=(f"config {name} --unset",))
    if name is not None:
        settings.known(name)
    if name is not None and (unset or value is not None):
        settings.put(name, value)
        if name == "lang" and screen.source != "--lang":
            # Whoever asks for another language is answered in it.
            screen.language = choose((), os.environ, sys.stdout.encoding, settings.get(name)).code
        key = "setting-gone" if unset else "setting-done"
        screen.note(screen.say(key, name=name, value=value))
    names = list(SETTINGS) if name is None else [name]
    screen.print(settings_lines(screen, settings, names, dict(os.environ)))
    return Exit.PASS
