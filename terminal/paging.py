"""What is longer than the screen goes through the person's pager, as git does it."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["pager", "turn_pages"]

# less ends at once where all fits, keeps colours, and leaves the text on the screen.
_LESS = "FRX"


def pager(console: Console, count: int) -> list[str] | None:
    """Return the pager's command for so many lines; None where they are simply printed."""
    if count < console.height or not (console.is_terminal and sys.stdin.isatty()):
        return None
    if console.is_dumb_terminal or not sys.stdout.isatty():
        return None
    with suppress(ValueError):
        words = shlex.split(os.environ.get("PAGER", "less"))
        if words and shutil.which(words[0]) is not None:
            return words
    return None


def turn_pages(command: list[str], text: str) -> None:
    """Hand a text to a pager and wait; Ctrl-C is the pager's own, and leaving early no fault."""
    environment = {"LESS": _LESS, "LESSCHARSET": "utf-8", **os.environ}
    process = subprocess.Popen(command, stdin=subprocess.PIPE, env=environment)
    assert process.stdin is not None
    with suppress(BrokenPipeError), process.stdin as stream:
        stream.write(text.encode("utf-8", "backslashreplace"))
    while True:
        with suppress(KeyboardInterrupt):
            process.wait()
            return
