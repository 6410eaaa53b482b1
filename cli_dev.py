"""The commands of those who work on the project: `attn-kata dev`."""

from __future__ import annotations

import json
import sys
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from .practice.errors import Refusal
from .terminal.help import HelpCommand, HelpGroup
from .terminal.lists import next_lines
from .terminal.program import Exit
from .terminal.screen import Screen
from .terminal.text import quoted, safe

__all__ = ["dev"]


class NewKind(str, Enum):
    """The kinds of kata that `dev new` writes."""

    function = "function"
    class_ = "class"
    program = "program"


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
    if folder is not None and not folder.is_dir():
        raise Refusal("pack-none", folder=str(folder))
    if folder is not None and (folder / "kata.toml").is_file():
        room = folder.resolve().parent
        raise Refusal("one-kata", folder=str(folder), room=str(room),
                      commands=("dev check {room}",))  # fmt: skip
    problems: list[str] = lint.run(folder)
    screen.print([[(problem, "")] for problem in problems])
    key = "dev-count" if problems else "dev-clean"
    screen.tell([[(screen.say(key, count=len(problems)), "bold")]])
    return Exit.FAIL if problems else Exit.PASS


@dev.command("statements", cls=HelpCommand)
def dev_statements(ctx: typer.Context) -> int:
    """Count the texts' sentences, the statements run, the questions and those out of reach."""
    from .dev.plans import out_of_reach
    from .dev.statements import counted
    from .kata.catalogue import katas
    from .terminal.statements import statement_lines

    screen: Screen = ctx.obj
    named = {kata.id: kata for kata in katas()}
    rows: list[tuple[str, int, int, int, int]] = []
    for name, sentences, run in counted():
        kata = named.get(name)
        asked = len(kata.questions("en")) + len(kata.exact_questions("en")) if kata else 0
        rows.append((name, sentences, run, asked, len(out_of_reach(kata)) if kata else 0))
    screen.print(statement_lines(rows, screen))
    return Exit.PASS


@dev.command("new", cls=HelpCommand)
def dev_new(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", show_default=False)],
    kind: Annotated[NewKind, typer.Option(metavar="function|class|program")] = NewKind.function,
    folder: Annotated[Path, typer.Option("--dir", metavar="FOLDER", file_okay=False)] = Path(),
) -> int:
    """Write a new kata's files, which say what is left to write."""
    from .dev.unwritten import new_kata

    screen: Screen = ctx.obj
    files = new_kata(name, kind.value, folder)
    screen.print([[(safe(str(file)), "")] for file in files])
    screen.print(
        [[], *next_lines((f"attn-kata dev check {quoted(str(folder))}",), screen.language)]
    )
    return Exit.PASS


@dev.command("trust", cls=HelpCommand)
def dev_trust(
    ctx: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", show_default=False)],
    always: Annotated[bool, typer.Option("--always")] = False,
    withdraw: Annotated[bool, typer.Option("--withdraw")] = False,
) -> int:
    """Let the code of a pack of katas run."""
    from .practice.packs import trust

    screen: Screen = ctx.obj
    if always and withdraw:
        raise Refusal("trust-either", commands=("dev trust --help",))
    room = trust(folder, always=always, withdrawn=withdraw)
    key = "pack-withdrawn" if withdraw else "pack-always" if always else "pack-trusted"
    screen.note(screen.say(key, folder=safe(str(room))))
    return Exit.PASS


@dev.command("understand", cls=HelpCommand)
def dev_understand(ctx: typer.Context) -> int:
    """Say what lines on standard input ask about."""
    from .practice.interview.hearing.topics import topics_heard

    screen: Screen = ctx.obj
    subject = ""
    for line in sys.stdin:
        text = line.rstrip("\r\n")
        heard = topics_heard(text, subject)
        # A line may refer to the one before it; an empty one begins another talk.
        subject = heard.subject if text.strip() else ""
        screen.write(json.dumps({"text": text, "topics": heard.topics}, ensure_ascii=False))
    return Exit.PASS


@dev.command("answers", cls=HelpCommand)
def dev_answers(ctx: typer.Context, listed: Annotated[bool, typer.Option("--list")] = False) -> int:
    """Read answers on standard input as the interviewer does without a language model."""
    from .practice.interview.questions import free_names, named
    from .practice.interview.reading.points import heard

    screen: Screen = ctx.obj
    if listed:
        for name in free_names():
            screen.write(name.partition(":")[2] if not name.startswith("open:") else name)
        return Exit.PASS
    for number, line in enumerate(sys.stdin, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            name, text = named(str(row["question"])), str(row["text"])
        except (ValueError, TypeError, KeyError) as fault:
            raise Refusal("dev-answers-line", line=number, reason=str(fault)) from None
        points = heard(name, text)
        screen.write(json.dumps({"question": row["question"], "points": points}))
    return Exit.PASS


@dev.command("exercises", cls=HelpCommand)
def dev_exercises(
    ctx: typer.Context,
    names: Annotated[list[str] | None, typer.Argument(metavar="[KATA]...")] = None,
    write: Annotated[bool, typer.Option("--write")] = False,
    limit: Annotated[int | None, typer.Option("--limit", metavar="N", min=1)] = None,
    reach: Annotated[int, typer.Option("--reach", metavar="N", min=0)] = 0,
    tries: Annotated[int, typer.Option("--try", metavar="N", min=0)] = 0,
    seed: Annotated[int, typer.Option("--seed", metavar="N")] = 0,
) -> int:
    """Count, prove or try the exercises with planted bugs."""
    from .dev.planting import exercises
    from .terminal import exercises as drawn

    screen: Screen = ctx.obj
    some = exercises.all_katas(names or (), judging=write or tries > 0)
    if write:
        turned_down = 0
        for proof in exercises.written(some, limit):
            screen.print(drawn.proof_lines(*proof, screen))
            turned_down += len(proof[3])
        return Exit.FAIL if turned_down else Exit.PASS
    if tries:
        faults = 0
        for tried in exercises.trials(some, tries, seed):
            faults += bool(tried.fault)
            screen.print(drawn.tried_lines(tried.said, tried.fault, screen))
        screen.print(drawn.trials_lines(tries - faults, tries, screen))
        return Exit.FAIL if faults else Exit.PASS
    rows = exercises.counted(some)
    pairs = sum(row.pairs for row in rows)
    others = sum(1 for _ in exercises.formed(some, max(0, reach - pairs)))
    screen.print(drawn.counted_lines(rows, others, screen))
    return Exit.FAIL if pairs + others < reach else Exit.PASS
