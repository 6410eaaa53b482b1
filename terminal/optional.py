"""`check`, whose `--heat` stands alone or names a picture.

A flag that may have a value would take the next argument for it, and that is as a rule the
file to judge: only what ends as a picture does is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .help import HelpCommand

__all__ = ["CheckCommand", "parted"]

_FLAG, _FILE = "--heat", "--heat-file"
_PICTURES = {
    ".png", ".svg", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".tif", ".tiff", ".pdf", ".eps",
}  # fmt: skip


class CheckCommand(HelpCommand):
    """A command that takes `--heat`, `--heat FILE` and `--heat=FILE`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments."""
        return super().parse_args(ctx, parted(args))


def parted(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with `--heat FILE` as the flag and the file."""
    found: list[str] = []
    waiting = list(arguments)
    while waiting:
        one = waiting.pop(0)
        if one == "--":
            return [*found, one, *waiting]
        if one.startswith(f"{_FLAG}="):
            found += [_FLAG, _FILE, one.partition("=")[2]]
        elif one == _FLAG and waiting and Path(waiting[0]).suffix.lower() in _PICTURES:
            found += [_FLAG, _FILE, waiting.pop(0)]
        else:
            found.append(one)
    return found
