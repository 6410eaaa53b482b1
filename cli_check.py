"""The commands that judge one's own files: once, at every save, and to show how it looks."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import typer

from .cli_options import Checking, ClassName, MaskMeaning, Record, Targets, takes
from .practice.judging import Mask, Wishes, reports
from .practice.recognise import kata_called, says_exercise
from .practice.surroundings import require_device
from .practice.targets import Target, standard_input, targets
from .practice.workspace import Workspace
from .terminal.elsewhere import settled
from .terminal.program import Exit
from .terminal.screen import Screen

if TYPE_CHECKING:
    from pathlib import Path

    from .checker import Bench, Report
    from .practice.record import Recorder

__all__ = ["check", "demo", "watch", "watch_over"]


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
            from .practice.interview.store import Store
            from .practice.record import Recorder
            from .terminal.verdicts import Verdicts

            recorder = Recorder(workspace, keep=given.record)
            Store().looked_up(f"check {chosen[0].kata.id}")
            # Of an exercise with planted bugs, how many are mended is found out as well.
            found_out = (
                _with_mending(report, target.file, judges)
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


def _with_mending(report: Report, file: Path, judges: Bench) -> Report:
    if not says_exercise(file):
        return report
    from .practice.debug.standing import with_mending

    return with_mending(report, file, judges)


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
    return watch_over(screen, target, recorder, wishes)


def watch_over(screen: Screen, target: Target, recorder: Recorder, wishes: Wishes) -> int:
    """Judge a file at every save, until the person leaves."""
    from .checker import Bench

    # The second judge takes over where a save comes before the verdict.
    with Bench(2) as bench:
        from .terminal.watch import watch as watch_file

        watch_file(screen, target, bench, recorder, wishes)
    return Exit.PASS


def demo(ctx: typer.Context) -> int:
    """Judge a right and a wrong answer."""
    import tempfile
    from pathlib import Path

    from .checker import Bench
    from .kata.catalogue import katas

    screen: Screen = ctx.obj
    asked = kata_called("mha")
    wishes = Wishes(language=screen.language)
    with Bench() as bench, tempfile.TemporaryDirectory(prefix="attn-kata-") as place:
        from .practice.examples import lay_out
        from .terminal.verdicts import Manner, Verdicts

        chosen = [Target(asked, file) for file in lay_out(asked, Path(place))]
        verdicts = Verdicts(screen, chosen, Manner(whole=True))
        verdicts.open_demo(asked)
        found = [r.verdict for r in verdicts.shown(reports(bench, chosen, wishes))]
    good = found == ["pass", "fail"]
    verdicts.close_demo(katas()[0].id, good=good)
    return Exit.PASS if good else Exit.FAIL
