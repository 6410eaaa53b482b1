"""How candidates say a point, rightly or with it backwards: what an answer is compared with.

They stand in a kata's `phrasings.toml`, those of the open questions in this folder's.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ....kata.catalogue import LANGUAGES, UnknownKata, find
from ..texts import FOLDER

if sys.version_info >= (3, 11):
    import tomllib
else:  # pragma: no cover - the same parser under its older name
    import tomli as tomllib

__all__ = ["FILE", "Phrasings", "of_bank", "phrasings", "read"]

FILE = "phrasings.toml"


@dataclass(frozen=True, slots=True)
class Phrasings:
    """Ways to say one point, in both languages: as it is, and as who has it backwards does."""

    right: tuple[str, ...]
    wrong: tuple[str, ...]


def phrasings(name: str) -> tuple[Phrasings, ...]:
    """Return those of each point of a question, by its name; nothing where nobody wrote any."""
    bank, _, inner = name.partition(":")
    return of_bank(bank).get(inner, ())


def of_bank(bank: str) -> dict[str, tuple[Phrasings, ...]]:
    """Return those of all questions of a kata, or of the open ones, by question."""
    try:
        folder = find(bank).folder
    except UnknownKata:
        folder = FOLDER / "reading"
    return read(folder / FILE)


@cache
def read(file: Path) -> dict[str, tuple[Phrasings, ...]]:
    """Return a file's phrasings by question; nothing where there is no file."""
    data: dict[str, list[dict[str, Any]]] = {}
    if file.is_file():
        data = tomllib.loads(file.read_text("utf-8"))
    return {
        question: tuple(
            Phrasings(_lines(one, LANGUAGES), _lines(one, (f"{each}-wrong" for each in LANGUAGES)))
            for one in points
        )
        for question, points in data.items()
    }


def _lines(point: dict[str, Any], keys: Iterable[str]) -> tuple[str, ...]:
    return tuple(line for key in keys for line in str(point.get(key, "")).split("\n") if line)
