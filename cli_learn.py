"""The commands that teach: a kata's lesson, and the interview questions."""

from __future__ import annotations

import random
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from .cli_options import OptionalKata
from .practice.completion import called
from .practice.errors import Refusal
from .practice.recognise import kata_called
from .practice.targets import current
from .practice.workspace import Workspace
from .terminal.program import Exit
from .terminal.screen import Screen
from .terminal.text import safe

__all__ = ["learn", "questions"]

# A sitting that fits a coffee.
_COUNT = 10


class Level(str, Enum):
    """How much a question asks of one."""

    junior = "junior"
    senior = "senior"


def _topics(incomplete: str) -> list[str]:
    from .practice.bank import topics

    return called(*topics())(incomplete)


def learn(
    ctx: typer.Context,
    kata: OptionalKata = None,
    run: Annotated[bool, typer.Option("--run")] = False,
    svg: Annotated[Path | None, typer.Option("--svg", metavar="FILE")] = None,
    force: Annotated[bool, typer.Option("--force")] = False,
) -> int:
    """Explain a kata's idea, step by step."""
    from .kata.lessons import lesson
    from .terminal.lesson import lesson_lines, play
    from .terminal.lists import next_lines

    screen: Screen = ctx.obj
    found = current(kata, Workspace(), "learn")
    told = lesson(found, screen.language)
    onward = next_lines((f"attn-kata show {found.id}", f"attn-kata watch {found.id}"),
                        screen.language)  # fmt: skip
    if svg is not None:
        from .practice.pictures import promise, save
        from .terminal.lesson import composed
        from .terminal.picture import svg as written

        if svg.suffix.lower() != ".svg":
            raise Refusal("learn-svg", file=str(svg))
        promise(svg, force=force, files=1)
        save(svg, written(composed(told.plot, found.title[screen.language])))
        screen.note(screen.say("learn-drawn", file=safe(str(svg))))
    elif run:
        from .practice.lessons import outputs

        play(screen, told, outputs(found), waits=screen.may_ask and screen.out.is_terminal)
        screen.print(onward)
    else:
        screen.page([*lesson_lines(told, screen.width, colour=screen.colour), [], *onward])
    return Exit.PASS


def questions(
    ctx: typer.Context,
    kata: OptionalKata = None,
    level: Annotated[Level | None, typer.Option("--level", metavar="junior|senior")] = None,
    topic: Annotated[
        str | None, typer.Option("--topic", metavar="TOPIC", autocompletion=_topics)
    ] = None,
    count: Annotated[int, typer.Option("--count", "-n", metavar="N", min=1)] = _COUNT,
    every: Annotated[bool, typer.Option("--all")] = False,
    listed: Annotated[bool, typer.Option("--list")] = False,
    seed: Annotated[int | None, typer.Option("--seed", metavar="N", min=0, max=2**31)] = None,
) -> int:
    """Drill interview questions."""
    from .practice.bank import cards, sitting
    from .practice.record import Recorder
    from .terminal.lists import next_lines
    from .terminal.questions import ask_all, list_lines

    screen: Screen = ctx.obj
    asked = None if kata is None else kata_called(kata)
    recorder = Recorder(Workspace())
    drawn = seed if seed is not None else random.SystemRandom().randrange(2**31)
    found = cards(
        recorder.history.story(), screen.language, asked, level and level.value, topic, drawn
    )
    if listed:
        screen.page(list_lines(found, screen))
        return Exit.PASS
    chosen = sitting(found, count, every=every)
    if not chosen:
        screen.print([[(screen.say("questions-none"), "")]])
        return Exit.PASS
    done = ask_all(screen, chosen, lambda card, rating: recorder.rated(card.kata, card.id, rating))
    onward = next_lines(("attn-kata questions", "attn-kata due"), screen.language)
    screen.print([[(screen.say("questions-over", count=done), "bold")], [], *onward])
    screen.own_up(recorder.troubles)
    return Exit.PASS
