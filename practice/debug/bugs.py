"""The right files of a kata and the mistakes that are proved to be found in them: data.

`kata/<id>/debug/` holds right files in many hands, and `proved.toml`, which `attn-kata dev
exercises --write` makes:

    [[bug]]
    host = "nano_config"       the right file
    line = 31                  the one line that is wrong
    mistake = "scale-missing"  as the judge names it, on that line
    level = "mid"              junior (raises, or changes shapes), mid or senior (see LEVELS)
    wrong = "…"                the line as it is planted
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ...kata.catalogue import Kata, katas

if sys.version_info >= (3, 11):
    import tomllib
else:  # pragma: no cover - the same parser under its older name
    import tomli as tomllib

__all__ = ["LEVELS", "PROVED", "Bug", "bugs", "folder", "host", "hosts", "with_bugs"]

PROVED = "proved.toml"
# Loud ones; silent ones; those that show in training, gradients, half precision, a batch or the
# second step of decoding alone.
LEVELS = ("junior", "mid", "senior")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bug:
    """One line of a right file written wrongly, proved to be named there. line counts from 1."""

    host: str
    line: int
    mistake: str
    level: str
    wrong: str


def folder(kata: Kata) -> Path:
    """Return where a kata's right files lie."""
    return kata.folder / "debug"


def hosts(kata: Kata) -> tuple[str, ...]:
    """Return the names of a kata's right files."""
    return tuple(sorted(path.stem for path in folder(kata).glob("*.py")))


@cache
def host(kata: Kata, name: str) -> str:
    """Return the text of a right file."""
    return (folder(kata) / f"{name}.py").read_text("utf-8")


@cache
def bugs(kata: Kata) -> tuple[Bug, ...]:
    """Return what is proved of a kata; nothing where nothing is."""
    path = folder(kata) / PROVED
    if not path.is_file():
        return ()
    return tuple(Bug(**row) for row in tomllib.loads(path.read_text("utf-8")).get("bug", []))


def with_bugs() -> tuple[Kata, ...]:
    """Return the katas that have exercises."""
    return tuple(kata for kata in katas() if bugs(kata))
