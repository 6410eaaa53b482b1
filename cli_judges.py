"""`attn-kata lsp` serves an editor; `attn-kata stop` ends the judges that stay."""

from __future__ import annotations

import typer

from .practice.errors import Refusal
from .terminal.program import Exit
from .terminal.screen import Screen

__all__ = ["lsp", "stop"]


def stop(ctx: typer.Context) -> int:
    """End the judges that stay."""
    from .checker import stop as end_all

    screen: Screen = ctx.obj
    count = end_all()
    screen.print([[(screen.say("stopped" if count else "none-stays", count=count), "bold")]])
    return Exit.PASS


def lsp(ctx: typer.Context) -> int:
    """Serve an editor."""
    from importlib.util import find_spec

    screen: Screen = ctx.obj
    if find_spec("pygls") is None:
        raise Refusal(
            "extra-missing", name="pygls", notes=(("install", "pip install 'attn-kata[lsp]'"),)
        )
    from .integrations.lsp import serve

    serve(screen.language)
    return Exit.PASS
