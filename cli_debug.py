"""The command `debug`: find the bugs in a file that is handed out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .practice.completion import called, target_names
from .practice.debug.bugs import LEVELS
from .practice.errors import Refusal
from .terminal.program import Exit
from .terminal.screen import Screen

__all__ = ["debug"]

Exercise = Annotated[
    str | None,
    typer.Argument(
        metavar="[KATA]",
        autocompletion=lambda incomplete: target_names(incomplete, ()),
        show_default=False,
    ),
]


def debug(
    ctx: typer.Context,
    what: Exercise = None,
    bugs: Annotated[int, typer.Option("--bugs", metavar="N")] = 1,
    level: Annotated[
        str | None,
        typer.Option("--level", metavar="junior|mid|senior", autocompletion=called(*LEVELS)),
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", metavar="N", min=0, max=2**31)] = None,
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", file_okay=False)] = Path(),
    force: Annotated[bool, typer.Option("--force")] = False,
    say: Annotated[str | None, typer.Option("--say", metavar='"LINE [WHAT]"')] = None,
    hint: Annotated[bool, typer.Option("--hint")] = False,
    which: Annotated[bool, typer.Option("--which")] = False,
    answer: Annotated[Path | None, typer.Option("--answer", metavar="FILE")] = None,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> int:
    """Hand out a file with bugs in it, and take what is said of them."""
    screen: Screen = ctx.obj
    if level not in {None, *LEVELS}:
        raise Refusal("debug-which-level", level=level, commands=("debug --level mid",))
    asked = [say is not None, hint, which, answer is not None]
    if sum(asked) > 1:
        raise Refusal("debug-one-thing", commands=("debug --say 31", "debug --hint"))
    if as_json and answer is None:
        raise Refusal("debug-json", commands=("debug --answer debug_mha.py --json",))
    if answer is not None:
        return _answer(screen, answer, as_json=as_json)
    if say is not None:
        return _say(screen, what, say)
    if hint:
        return _hint(screen, what)
    if which:
        return _which(screen, what)
    return _hand_out(screen, what, bugs, level or "", seed, out, force=force)


def _hand_out(
    screen: Screen, what: str | None, count: int, level: str, seed: int | None, out: Path,
    *, force: bool,
) -> int:  # fmt: skip
    from .checker import Bench
    from .practice.debug import handing, rounds
    from .practice.debug.exercise import Order
    from .practice.debug.record import wrong_before
    from .practice.history import History
    from .terminal.debug import handed_out_lines

    history = History()
    kata = rounds.kata_for(what, history)
    rounds.possible(kata, count, level)
    file = rounds.free(kata, out, force=force)
    with Bench() as bench, screen.waiting(screen.say("debug-proving", kata=kata.id)):
        judge = handing.by_bench(bench, kata)
        order = Order(kata=kata, seed=seed or 0, count=count, level=level)
        try:
            if seed is None:
                proved, again = handing.drawn(order, wrong_before(history.story()), judge)
            else:
                proved, again = handing.proved(order, judge), False
        except handing.Unproved as none:
            commands = (f"debug {kata.id} --bugs {max(1, count - 1)}",)
            raise Refusal("debug-unproved", seed=none.seed, commands=commands) from None
    started = rounds.lay_out(proved, file, history, force=force)
    screen.print(handed_out_lines(proved, started, screen, again=again))
    screen.own_up(history.troubles)
    return Exit.PASS


def _say(screen: Screen, what: str | None, said: str) -> int:
    from .practice.debug import rounds
    from .practice.history import History
    from .terminal.debug import claim_lines

    history = History()
    file, exercise = rounds.opened(what, history)
    found = rounds.claim(said, file, exercise, history)
    screen.print(claim_lines(found, file, screen))
    screen.own_up(history.troubles)
    return Exit.PASS if found.claim.verdict in {"right", "again"} else Exit.FAIL


def _hint(screen: Screen, what: str | None) -> int:
    from .practice.debug import rounds
    from .practice.history import History
    from .terminal.debug import debug_hint_lines

    history = History()
    file, exercise = rounds.opened(what, history)
    screen.print(debug_hint_lines(rounds.hint(exercise, history), file, screen))
    screen.own_up(history.troubles)
    return Exit.PASS


def _which(screen: Screen, what: str | None) -> int:
    from .checker import Bench, Options
    from .practice.debug import rounds
    from .practice.debug.standing import with_mending
    from .practice.history import History
    from .terminal.debug import which_lines

    file, exercise = rounds.opened(what, History())
    kata = exercise.order.kata.id
    options = Options(device="cpu")
    with Bench() as bench, screen.waiting(screen.say("judging", file=str(file))):
        report = next(bench.judge(kata, [file], options))
        report = with_mending(report, file, bench)
    screen.print(which_lines(report, screen))
    return Exit.PASS if report.verdict == "pass" else Exit.FAIL


def _answer(screen: Screen, file: Path, *, as_json: bool) -> int:
    from .practice.debug import rounds
    from .practice.history import History
    from .terminal.debug import answer_lines, answer_text

    history = History()
    _, exercise = rounds.opened(str(file), history)
    done = rounds.answered(file, exercise, history)
    if as_json:
        screen.write(answer_text(exercise))
    else:
        screen.print(answer_lines(exercise, done, file, screen))
    screen.own_up(history.troubles)
    return Exit.PASS
