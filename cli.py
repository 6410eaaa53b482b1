"""The command line: one thin function a command.

Nothing here imports torch, and nothing slow is imported before the judge has been started.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from . import __version__
from .cli_dev import dev
from .cli_interview import interview_app
from .cli_texts import explain, hint, show, solution
from .kata.catalogue import katas
from .practice.completion import kata_ids, target_names
from .practice.errors import Refusal
from .practice.judging import Mask, Wishes, reports
from .practice.pages import has_pages, page_names
from .practice.surroundings import ask_cuda, device_called, require_device, torch_version
from .practice.targets import Target, kata_called, targets
from .practice.workspace import Workspace
from .terminal.help import HelpCommand, HelpGroup
from .terminal.language import Language
from .terminal.optional import CheckCommand
from .terminal.program import Exit, run
from .terminal.screen import Screen

__all__ = ["Exit", "app", "main"]

_NAME = "attn-kata"


_SETTINGS = {"help_option_names": ["--help", "-h"]}

app = typer.Typer(
    cls=HelpGroup,
    context_settings=_SETTINGS,
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.add_typer(interview_app, name="interview")
app.add_typer(dev, name="dev")


def _target_names(ctx: typer.Context, incomplete: str) -> list[str]:
    return target_names(incomplete, ctx.params.get("what") or ())


OptionalKata = Annotated[
    str | None, typer.Argument(metavar="[KATA]", autocompletion=kata_ids, show_default=False)
]
Targets = Annotated[
    list[str] | None, typer.Argument(metavar="[KATA] [FILE]...", autocompletion=_target_names)
]


@app.callback()
def begin(
    ctx: typer.Context,
    # Read before typer is; named here so that it is accepted, completed and explained.
    lang: Annotated[  # noqa: ARG001
        Language | None, typer.Option(metavar="en|zh", expose_value=False)
    ] = None,
    version: Annotated[bool, typer.Option("--version", is_eager=True)] = False,
) -> int:
    """Print the start page, where no command is given."""
    screen: Screen = ctx.obj
    if version:
        screen.write(f"{_NAME} {__version__}")
        raise typer.Exit
    if ctx.invoked_subcommand is None:
        from .terminal.lists import start_lines

        screen.print(start_lines(katas()[0].id, screen.language, screen.width))
    return Exit.PASS


@app.command("list", cls=HelpCommand)
def list_katas(ctx: typer.Context) -> int:
    """List the katas and what was passed."""
    from .practice.history import History
    from .practice.schedule import standings
    from .practice.sittings import sittings
    from .terminal.ladder import kata_lines, onward_lines

    screen: Screen = ctx.obj
    history = History()
    stands = standings(sittings(history.story()), history.standing())
    screen.print(kata_lines(katas(), stands, screen.language, screen.width))
    screen.print([[], *onward_lines(katas(), stands, screen.language)])
    screen.own_up(history.troubles)
    return Exit.PASS


app.command(cls=HelpCommand)(show)


@app.command(cls=HelpCommand)
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
    recorder = Recorder(Workspace())
    if due == (kata is not None):
        raise Refusal("start-either" if due else "start-which", commands=("due", "list"))
    asked = handed_out(recorder.history) if kata is None else kata_called(kata)
    # What is due was written before: that file is kept, as with --force.
    started = start_kata(asked, folder, force=force or due)
    recorder.started(asked.id, started.file)
    told = (str(started.file), started.backup and str(started.backup))
    screen.print(started_lines(asked, *told, screen.language, screen.width))
    screen.own_up(recorder.troubles)
    return Exit.PASS


@app.command(cls=CheckCommand)
def check(
    ctx: typer.Context,
    what: Targets = None,
    class_name: Annotated[str | None, typer.Option("--class", metavar="NAME")] = None,
    device: Annotated[str, typer.Option(metavar="auto|cpu|cuda")] = "auto",
    mask: Annotated[Mask, typer.Option(metavar="keep|drop|additive")] = Mask.keep,
    seed: Annotated[int | None, typer.Option(metavar="N", min=0, max=2**31)] = None,
    timeout: Annotated[float, typer.Option(metavar="SECONDS", min=0.1)] = 20.0,
    memory: Annotated[int, typer.Option(metavar="MB", min=0)] = 0,
    jobs: Annotated[int, typer.Option(metavar="N", min=0)] = 0,
    as_json: Annotated[bool, typer.Option("--json")] = False,
    trace: Annotated[bool, typer.Option("--trace")] = False,
    output: Annotated[bool, typer.Option("--output")] = False,
    heat: Annotated[bool, typer.Option("--heat", metavar="[FILE]")] = False,
    heat_file: Annotated[Path | None, typer.Option("--heat-file", hidden=True)] = None,
    bench: Annotated[bool, typer.Option("--bench")] = False,
    force: Annotated[bool, typer.Option("--force")] = False,
) -> int:
    """Judge files."""
    from .checker.client import Bench

    screen: Screen = ctx.obj
    workspace = Workspace()
    place = device_called(device)
    chosen = targets(what or [], workspace)
    if heat_file is not None:
        from .practice.pictures import promise

        promise(heat_file, force=force, files=len(chosen))
    require_device(place)
    wishes = Wishes(
        language=screen.language,
        class_name=class_name,
        device=place,
        mask=mask,
        seed=seed,
        timeout=timeout,
        memory=memory,
        heat=heat,
        one_by_one=bench,
    )
    # The judge imports torch meanwhile: from here on, slow imports cost nothing.
    side_by_side = 1 if bench else jobs or min(8, os.cpu_count() or 1)
    with Bench(min(side_by_side, len(chosen))) as judges:
        from .practice.record import Recorder
        from .terminal.verdicts import Manner, Verdicts

        manner = Manner(
            as_json=as_json,
            trace=trace,
            output=output,
            heat=heat and heat_file is None,
            timer=judges.timings if bench else None,
            explained=page_names(),
            typed=wishes.to_type(),
        )
        recorder = Recorder(workspace)
        verdicts = Verdicts(screen, chosen, manner)
        stored = recorder.recorded(reports(judges, chosen, wishes), alone=len(chosen) == 1)
        for report in verdicts.shown(stored):
            if heat_file is not None:
                from .terminal.picture import save_heat

                save_heat(screen, report, heat_file)
    verdicts.end()
    screen.own_up(recorder.troubles)
    return Exit.PASS if verdicts.all_pass else Exit.FAIL


@app.command(cls=HelpCommand)
def watch(
    ctx: typer.Context,
    what: Targets = None,
    class_name: Annotated[str | None, typer.Option("--class", metavar="NAME")] = None,
    mask: Annotated[Mask, typer.Option(metavar="keep|drop|additive")] = Mask.keep,
) -> int:
    """Judge a file at every save."""
    from .checker.client import Bench
    from .practice.record import Recorder
    from .practice.watch import to_watch

    screen: Screen = ctx.obj
    recorder = Recorder(Workspace(), "watch")
    target = to_watch(what or [], recorder)
    wishes = Wishes(language=screen.language, class_name=class_name, mask=mask, heat=True)
    # The second judge takes over where a save comes before the verdict.
    with Bench(2) as bench:
        from .terminal.watch import watch as watch_file

        watch_file(screen, target, bench, recorder, wishes)
    return Exit.PASS


for _command in (hint, solution):
    app.command(cls=HelpCommand)(_command)
if has_pages():
    app.command(cls=HelpCommand)(explain)


@app.command(cls=HelpCommand)
def history(
    ctx: typer.Context,
    kata: OptionalKata = None,
    as_json: Annotated[bool, typer.Option("--json")] = False,
    as_csv: Annotated[bool, typer.Option("--csv")] = False,
) -> int:
    """Show what was judged before."""
    from .practice.history import History
    from .practice.summary import summary
    from .terminal.progress import show_history

    screen: Screen = ctx.obj
    if as_json and as_csv:
        raise Refusal("json-or-csv", commands=("history --json", "history --csv"))
    asked = None if kata is None else kata_called(kata)
    past = History()
    told = summary(past.story(), asked and asked.id)
    show_history(screen, told, asked, "json" if as_json else "csv" if as_csv else None)
    screen.own_up(past.troubles)
    return Exit.PASS


@app.command(cls=HelpCommand)
def due(ctx: typer.Context) -> int:
    """Show what to write again today."""
    from .practice.history import History
    from .practice.sittings import sittings
    from .terminal.progress import show_due

    screen: Screen = ctx.obj
    past = History()
    show_due(screen, sittings(past.story()))
    screen.own_up(past.troubles)
    return Exit.PASS


@app.command(cls=HelpCommand)
def doctor(
    ctx: typer.Context,
    torch: Annotated[bool, typer.Option("--torch/--no-torch")] = True,
) -> int:
    """Look at what the program runs on."""
    from .terminal.doctor import findings
    from .terminal.lists import doctor_lines

    screen: Screen = ctx.obj
    cuda = None
    if torch and torch_version() is not None:
        with screen.waiting(screen.say("doctor-asking")):
            cuda = ask_cuda()
    found = findings(screen, __version__, torch_version(), cuda)
    screen.print(doctor_lines(found, screen.language, screen.width))
    return Exit.PASS if all(finding.fine for finding in found) else Exit.FAIL


@app.command(cls=HelpCommand)
def demo(ctx: typer.Context) -> int:
    """Judge a right and a wrong answer."""
    import tempfile

    from .checker.client import Bench

    screen: Screen = ctx.obj
    asked = kata_called("mha")
    wishes = Wishes(language=screen.language)
    with Bench() as bench, tempfile.TemporaryDirectory(prefix=f"{_NAME}-") as place:
        from .practice.examples import lay_out
        from .terminal.verdicts import Manner, Verdicts

        chosen = [Target(asked, file) for file in lay_out(asked, Path(place))]
        verdicts = Verdicts(screen, chosen, Manner(whole=True))
        verdicts.open_demo(asked)
        found = [r.verdict for r in verdicts.shown(reports(bench, chosen, wishes))]
    good = found == ["pass", "fail"]
    verdicts.close_demo(katas()[0].id, good=good)
    return Exit.PASS if good else Exit.FAIL


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit status."""
    return run(app, _NAME, list(sys.argv[1:] if arguments is None else arguments))
