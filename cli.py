"""The command line: one thin function a command.

Nothing here imports torch, and nothing slow is imported before the judge has been started.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import __version__
from .cli_debug import debug
from .cli_dev import dev
from .cli_files import Edit, Targets, next_kata, reset, run_file, start
from .cli_grade import grade
from .cli_interview import interview_app
from .cli_judges import lsp, stop
from .cli_learn import learn, questions
from .cli_options import Checking, ClassName, MaskMeaning, Record, takes
from .cli_records import config, due, forget, history
from .cli_texts import explain, hint, show, solution
from .kata.catalogue import katas
from .practice.errors import Refusal
from .practice.judging import Mask, Wishes, reports
from .practice.pages import has_pages
from .practice.recognise import kata_called
from .practice.surroundings import ask_cuda, require_device, torch_version
from .practice.targets import Target, standard_input, targets
from .practice.workspace import Workspace
from .terminal.elsewhere import settled
from .terminal.help import HelpCommand, HelpGroup
from .terminal.language import Colour, Language
from .terminal.optional import CheckCommand
from .terminal.program import Exit, run
from .terminal.screen import Screen

if TYPE_CHECKING:
    from .practice.record import Recorder

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


@app.callback()
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
    edit: Edit = False,
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
    from .practice.editor import edit as edit_file
    from .practice.editor import editor_words
    from .practice.onward import take, where
    from .practice.record import Recorder
    from .practice.settings import Settings
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
    return _watch(
        screen, Target(place.step.kata, file), recorder, Wishes(language=screen.language, heat=True)
    )


def _watch(screen: Screen, target: Target, recorder: Recorder, wishes: Wishes) -> int:
    from .checker import Bench

    # The second judge takes over where a save comes before the verdict.
    with Bench(2) as bench:
        from .terminal.watch import watch as watch_file

        watch_file(screen, target, bench, recorder, wishes)
    return Exit.PASS


@app.command("list", cls=HelpCommand)
def list_katas(ctx: typer.Context) -> int:
    """List the katas and what was passed."""
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


app.command(cls=HelpCommand)(show)
app.command(cls=HelpCommand)(learn)


app.command(cls=HelpCommand)(start)


@app.command(cls=CheckCommand)
@takes(Checking)
def check(ctx: typer.Context, what: Targets, given: Checking) -> int:
    """Judge files."""
    from .checker import Bench

    screen: Screen = ctx.obj
    workspace = Workspace()
    given.keep_judges()
    wishes = given.wishes(screen.language)
    with standard_input(what or []) as held:
        found = targets(what or [], workspace, "check", held)
        chosen = [settled(screen, one, "check") for one in found]
        if given.heat_file is not None:
            from .practice.pictures import promise

            promise(given.heat_file, force=given.force, files=len(chosen))
        require_device(wishes.device)
        # The judge imports torch meanwhile: from here on, slow imports cost nothing.
        side_by_side = 1 if given.bench else given.jobs or min(8, os.cpu_count() or 1)
        with Bench(min(side_by_side, len(chosen))) as judges:
            # Those that stay need no torch: they judge while the rest is imported.
            begun = reports(judges, chosen, wishes)
            from .practice.debug.standing import with_mending
            from .practice.interview.store import Store
            from .practice.record import Recorder
            from .terminal.verdicts import Verdicts

            recorder = Recorder(workspace, keep=given.record)
            Store().looked_up(f"check {chosen[0].kata.id}")
            # Of an exercise with planted bugs, how many are mended is found out as well.
            found_out = (
                with_mending(report, target.file, judges)
                for report, target in zip(begun, chosen, strict=True)
            )
            stored = recorder.recorded(found_out, alone=len(chosen) == 1)
            verdicts = Verdicts(screen, chosen, given.manner(judges, wishes))
            for report in verdicts.shown(stored):
                if given.heat_file is not None:
                    from .terminal.picture import save_heat

                    save_heat(screen, report, given.heat_file)
    verdicts.end(left_out=recorder.left_out)
    screen.own_up(recorder.troubles)
    return Exit.PASS if verdicts.all_pass else Exit.FAIL


@app.command(cls=HelpCommand)
def watch(
    ctx: typer.Context,
    what: Targets = None,
    class_name: ClassName = None,
    mask: MaskMeaning = Mask.keep,
    record: Record = None,
) -> int:
    """Judge a file at every save."""
    from .practice.interview.store import Store
    from .practice.record import Recorder
    from .practice.watch import to_watch

    screen: Screen = ctx.obj
    recorder = Recorder(Workspace(), "watch", keep=record, language=screen.language)
    target = settled(screen, to_watch(what or [], recorder), "watch")
    Store().looked_up(f"watch {target.kata.id}")
    wishes = Wishes(language=screen.language, class_name=class_name, mask=mask, heat=True)
    return _watch(screen, target, recorder, wishes)


app.command("next", cls=HelpCommand)(next_kata)
app.command("run", cls=HelpCommand)(run_file)
for _command in (reset, hint, solution, debug, grade):
    app.command(cls=HelpCommand)(_command)
if has_pages():
    app.command(cls=HelpCommand)(explain)


for _command in (questions, history, due, forget, config, lsp, stop):
    app.command(cls=HelpCommand)(_command)


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

    from .checker import Bench

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
