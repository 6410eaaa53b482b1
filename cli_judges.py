"""What stands behind a verdict: judges that stay, an editor's server, the system underneath."""

from __future__ import annotations

from typing import Annotated

import typer

from . import __version__
from .practice.errors import Refusal
from .terminal.program import Exit
from .terminal.screen import Screen

__all__ = ["doctor", "lsp", "stop"]


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


def doctor(
    ctx: typer.Context,
    torch: Annotated[bool, typer.Option("--torch/--no-torch")] = True,
) -> int:
    """Look at what the program runs on."""
    from .practice.surroundings import ask_cuda, torch_version
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
