"""`attn-kata grade`: a folder of submissions, judged into a table and a page."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import __version__
from .cli_options import MaskMeaning
from .practice.completion import kata_ids
from .practice.errors import Refusal
from .practice.home import reason
from .practice.judging import TIMEOUT, Mask, Wishes
from .practice.recognise import kata_called
from .terminal.program import Exit
from .terminal.screen import Screen
from .terminal.text import safe, wrap

if TYPE_CHECKING:
    from .checker import Report
    from .classroom.graded import Grades
    from .classroom.judging import Job

__all__ = ["grade"]

_LEDGER = "grade.jsonl"
# So many files that were left out are named.
_NAMED = 8


def grade(
    ctx: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", readable=False)],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", file_okay=False)] = Path(),
    kata: Annotated[
        str | None, typer.Option("--kata", metavar="KATA", autocompletion=kata_ids)
    ] = None,
    hide: Annotated[bool, typer.Option("--hide")] = False,
    scheduler: Annotated[str | None, typer.Option("--scheduler", metavar="ADDRESS")] = None,
    jobs: Annotated[int, typer.Option("--jobs", metavar="N", min=0)] = 0,
    mask: MaskMeaning = Mask.keep,
    seed: Annotated[int | None, typer.Option("--seed", metavar="N", min=0, max=2**31)] = None,
    timeout: Annotated[float, typer.Option("--timeout", metavar="SECONDS", min=0.1)] = TIMEOUT,
    memory: Annotated[int, typer.Option("--memory", metavar="MB", min=0)] = 0,
    force: Annotated[bool, typer.Option("--force")] = False,
) -> int:
    """Judge a class's submissions."""
    from .classroom.collect import collect, left_out
    from .classroom.graded import grades
    from .classroom.judging import Job, here, on_cluster
    from .classroom.ledger import Ledger

    screen: Screen = ctx.obj
    asked = kata_called(kata) if kata is not None else None
    if not folder.is_dir():
        raise Refusal("round-no-folder", folder=str(folder), commands=("grade submissions",))
    _may_write(out, force=force)
    if scheduler is not None:
        _require_dask()
    try:
        found, others = collect(folder, asked), left_out(folder)
    except OSError as fault:
        raise Refusal("cannot-read", file=str(folder), reason=reason(fault)) from None
    answers = [answer for one in found for answer in one.answers]
    if not answers:
        raise Refusal("round-empty", folder=str(folder), commands=("grade submissions",))
    settings = {"version": __version__, "mask": mask.value,
                "timeout": timeout, "memory": memory}  # fmt: skip
    try:
        out.mkdir(parents=True, exist_ok=True)
        ledger = Ledger(out / _LEDGER, settings, seed)
        keys = [ledger.key(one.kata, one.digest) for one in answers]
        wanted = {key: one for key, one in zip(keys, answers, strict=True) if one.kata}
        left = [
            Job(key=key, answer=one) for key, one in wanted.items() if key not in ledger.reports
        ]
        if len(left) < len(wanted):
            screen.note(screen.say("round-going-on", count=len(wanted) - len(left)))
        wishes = Wishes(language=screen.language, mask=mask, seed=ledger.seed, timeout=timeout,
                        memory=memory, device="cpu")  # fmt: skip
        options = wishes.options()
        if scheduler is not None and left:
            judged = on_cluster(left, options, scheduler)
        else:
            judged = here(left, options, jobs or os.cpu_count() or 1) if left else iter(())
        for key, report in _counted(screen, judged, left, scheduler):
            ledger.add(key, report)
        round_ = grades(answers, ledger.reports, keys, ledger.seed, hide=hide)
        _write(screen, round_, out)
    except OSError as fault:
        raise Refusal("cannot-write", file=str(out), reason=reason(fault)) from fault
    _sum_up(screen, round_, out)
    if others:
        # Whose it is may be in a file's name.
        names = [] if hide else [safe(name) for name in others[:_NAMED]]
        rest = len(others) - len(names)
        names += [screen.say("round-and-more", count=rest)] if rest and names else []
        screen.note(screen.say("round-left-out", names=", ".join(names) or rest))
    return Exit.PASS


def _counted(
    screen: Screen,
    judged: Iterator[tuple[str, Report]],
    left: Sequence[Job],
    scheduler: str | None,
) -> Iterator[tuple[str, Report]]:
    """Pass reports on, and say how far it is."""
    for done in range(len(left)):
        with screen.waiting(screen.say("grading", done=done + 1, count=len(left))):
            try:
                one = next(judged)
            except (OSError, TimeoutError) as fault:
                if scheduler is None:
                    raise
                raise Refusal(
                    "scheduler-away", address=scheduler, reason=str(fault).partition("\n")[0],
                    notes=(("how", "scheduler-how"),), commands=(),
                ) from None  # fmt: skip
        yield one


def _may_write(out: Path, *, force: bool) -> None:
    """Raise Refusal where a file is there that no earlier round has written."""
    from .terminal.classroom.files import NAMES

    ours = (out / _LEDGER).exists()
    for name in NAMES if not (force or ours) else ():
        if os.path.lexists(out / name):
            raise Refusal("round-there", file=str(out / name), notes=(("how", "round-out-how"),))


def _require_dask() -> None:
    from importlib.util import find_spec

    if find_spec("distributed") is None:
        raise Refusal(
            "extra-missing", name="distributed",
            notes=(("install", "pip install 'attn-kata[grade]'"),),
        )  # fmt: skip


def _write(screen: Screen, round_: Grades, out: Path) -> None:
    """Write each file whole or not at all."""
    from .terminal.classroom.files import texts

    for name, text in texts(round_, screen.language):
        beside = out / f".{name}.new"
        beside.write_text(text, "utf-8", errors="backslashreplace")
        beside.replace(out / name)


def _sum_up(screen: Screen, round_: Grades, out: Path) -> None:
    from .terminal.classroom.files import NAMES, problem_of

    count = round_.count()
    text = screen.say(
        "round-summary", submissions=len(round_.submissions), answers=len(round_.rows),
        passed=count["pass"], failed=count["fail"], errors=count["error"], unjudged=count["none"],
    )  # fmt: skip
    lines = [[(row, "bold")] for row in wrap(text, screen.width)]
    lines += [
        [(f"  {len(one.who):>4}  ", "dim"), (f"{one.kata}  {one.id}", "")]
        for one in round_.often[:5]
    ]
    for row in round_.rows:
        if row.report is None:
            told = (
                f"{safe(row.answer.label)}{screen.say('colon')}{problem_of(row, screen.language)}"
            )
            lines += [[(f"  {piece}", "note")] for piece in wrap(told, screen.width - 2)]
    copies = dict.fromkeys(
        " = ".join(sorted((row.answer.submission, *row.same))) for row in round_.rows if row.same
    )
    for names in copies:
        told = screen.say("round-copies", names=safe(names))
        lines += [[(f"  {piece}", "note")] for piece in wrap(told, screen.width - 2)]
    screen.print(lines)
    files = " ".join(safe(str(out / name)) for name in NAMES)
    screen.note(screen.say("round-wrote", files=files))
