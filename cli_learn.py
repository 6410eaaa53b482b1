"""The commands that teach: a kata's lesson."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .cli_texts import KataName
from .practice.errors import Refusal
from .practice.recognise import kata_called
from .terminal.program import Exit
from .terminal.screen import Screen
from .terminal.text import safe

__all__ = ["learn"]


def learn(
    ctx: typer.Context,
    kata: KataName,
    run: Annotated[bool, typer.Option("--run")] = False,
    svg: Annotated[Path | None, typer.Option("--svg", metavar="FILE")] = None,
    force: Annotated[bool, typer.Option("--force")] = False,
) -> int:
    """Explain a kata's idea, step by step."""
    from .kata.lessons import lesson
    from .terminal.lesson import lesson_lines, play
    from .terminal.lists import next_lines

    screen: Screen = ctx.obj
    found = kata_called(kata)
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
