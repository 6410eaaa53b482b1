"""The commands on one's own files: hand out, go on, begin again, run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from .cli_options import Edit, KataName, OptionalKata, Targets
from .practice.errors import Refusal
from .practice.home import there
from .practice.recognise import kata_called
from .practice.targets import INPUT, file_here, one_file, targets
from .practice.workspace import Workspace
from .terminal.elsewhere import settled
from .terminal.program import Exit
from .terminal.screen import Screen
from .terminal.text import quoted, safe

__all__ = ["next_kata", "reset", "run_file", "start"]


def start(
    ctx: typer.Context,
    kata: OptionalKata = None,
    folder: Annotated[Path, typer.Option("--dir", metavar="DIR", file_okay=False)] = Path(),
    force: Annotated[bool, typer.Option("--force")] = False,
    due: Annotated[bool, typer.Option("--due")] = False,
) -> int:
    """Write a kata's stub."""
    from .practice.record import Recorder
    from .practice.schedule import handed_out
    from .practice.stubs import start as start_kata
    from .terminal.lists import started_lines

    screen: Screen = ctx.obj
    recorder = Recorder(Workspace(), language=screen.language)
    if due == (kata is not None):
        raise Refusal("start-either" if due else "start-which", commands=("due", "list"))
    asked = handed_out(recorder.history) if kata is None else kata_called(kata)
    # What is due was written before: that file is kept, as with --force.
    started = start_kata(asked, folder, force=force or due, language=screen.language)
    recorder.started(asked.id, started.file)
    told = (str(started.file), started.backup and str(started.backup))
    screen.print(started_lines(asked, *told, screen.language, screen.width))
    screen.own_up(recorder.troubles)
    return Exit.PASS


def next_kata(ctx: typer.Context, edit: Edit = False) -> int:
    """Hand out what comes next, or say where to go on."""
    from .practice.editor import edit as edit_file
    from .practice.editor import editor_words
    from .practice.onward import take, where
    from .practice.record import Recorder
    from .practice.settings import Settings
    from .terminal.home import going_on_lines, home_lines, taken_lines

    screen: Screen = ctx.obj
    recorder = Recorder(Workspace(), language=screen.language)
    editor = editor_words(Settings().get("editor"), os.environ) if edit else []
    place = where(recorder)
    if place.step is None:
        screen.print(home_lines(place, screen, (), asked=False))
        return Exit.PASS
    taken = take(place.step, recorder)
    if place.step.why == "unfinished":
        screen.print(going_on_lines(place.step, screen))
    else:
        backup = str(taken.backup) if taken.backup else None
        screen.print(taken_lines(place.step.kata, str(taken.file), backup, screen))
    screen.own_up(recorder.troubles)
    if edit:
        edit_file(editor, taken.file)
    return Exit.PASS


def reset(
    ctx: typer.Context, kata: KataName, yes: Annotated[bool, typer.Option("--yes", "-y")] = False
) -> int:
    """Begin a kata again."""
    from .practice.onward import fresh_stub
    from .practice.record import Recorder
    from .terminal.home import taken_lines

    screen: Screen = ctx.obj
    asked = kata_called(kata)
    recorder = Recorder(Workspace(), language=screen.language)
    # What was handed out, whichever file was judged last.
    stub = Path(f"{asked.id}.py")
    file = stub if there(stub) else file_here(asked, recorder.workspace, f"start {asked.id}")
    if file is None:
        known = recorder.workspace.file(asked.id)
        key = "elsewhere" if known else "not-started"
        raise Refusal(key, kata=asked.id, file=str(known), commands=(f"start {asked.id}",))
    # A notebook stays what it is; the stub goes beside it.
    place = Path(file.name) if file.suffix == ".py" else Path(f"{asked.id}.py")
    if not yes and not screen.may_ask:
        raise Refusal("reset-needs-yes", file=str(place), commands=(f"reset {asked.id} --yes",))
    if not yes and not screen.ask(screen.say("reset-ask", kata=asked.id, file=safe(str(place)))):
        screen.note(screen.say("reset-kept"))
        return Exit.PASS
    started = fresh_stub(asked, place, recorder)
    backup = str(started.backup) if started.backup else None
    screen.print(taken_lines(asked, str(started.file), backup, screen))
    screen.own_up(recorder.troubles)
    return Exit.PASS


def run_file(ctx: typer.Context, what: Targets = None) -> int:
    """Run a file as a script."""
    screen: Screen = ctx.obj
    arguments = what or []
    if INPUT in arguments:
        raise Refusal("run-input", commands=("run mha",))
    if len(arguments) == 1 and Path(arguments[0]).is_file():
        # Which kata a file is for matters to no script.
        file = Path(arguments[0])
    else:
        found = targets(arguments, Workspace(), "run")
        if len(found) != 1:
            raise one_file(arguments, "run")
        file = settled(screen, found[0], "run").file
    if file.suffix == ".ipynb":
        raise Refusal("run-notebook", file=str(file))
    command = f"{quoted(sys.executable)} {quoted(str(file))}"
    screen.tell([[("$ ", "dim"), (command, "dim")]])
    done = subprocess.run([sys.executable, str(file)], check=False)
    # As a shell has it: a signal's number above 128.
    return done.returncode if done.returncode >= 0 else 128 - done.returncode
