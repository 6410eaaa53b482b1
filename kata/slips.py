"""The mistakes of one kata of functions, read from its `mistakes.toml`. Standard library only.

    [[mistake]]
    id = "softmax-wrong-axis"     a page of this name tells about it
    group = "softmax"             where its line is looked for, one of GROUPS
    shows = "weights"             the model answer's step in which it shows first; of several, in
                                  a list, the first that the mistake changes
    en = "…"                      what it is, in a sentence
    zh = "…"
    edits = [[["dim=-1", "dim=-2"]]]

    variants = [[["lowest = …", "lowest = float('-inf')"]]]

Each edit is a list of pairs, what stands in the model answer once and what stands there
instead; of several edits, each is a way of its own to make the mistake. A variant, at the top
of the file, is an edit that leaves the model answer right: mistakes may give other numbers
beside it.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:  # pragma: no cover - the same parser under its older name
    import tomli as tomllib

__all__ = ["FILE", "GROUPS", "BadSlips", "Slip", "all_ids", "slips", "variants"]

FILE = "mistakes.toml"
GROUPS = (
    "step", "softmax", "scale", "fill", "mask", "overflow", "loop", "return", "start", "written",
    "joined", "kept", "call",
)  # fmt: skip
_KEYS = {"id", "group", "shows", "en", "zh", "edits", "rank", "calls"}

Edit = tuple[tuple[str, str], ...]


class BadSlips(ValueError):
    """A file of mistakes that cannot be read. The message says which row, and what is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slip:
    """One mistake of one kata.

    rank: smaller is tried first where two give the same numbers. calls: torch calls of which
    every call with a mask shows one, to tell such two apart.
    """

    id: str
    words: dict[str, str]
    edits: tuple[Edit, ...]
    group: str = "step"
    shows: tuple[str, ...] = ()
    rank: int = 1
    calls: tuple[str, ...] = ()


@cache
def slips(folder: Path) -> tuple[Slip, ...]:
    """Return the mistakes of the kata in a folder, the likeliest first. Raise BadSlips."""
    rows = _read(folder).get("mistake", [])
    return tuple(sorted((_slip(row) for row in rows), key=lambda slip: slip.rank))


@cache
def variants(folder: Path) -> tuple[Edit, ...]:
    """Return the edits that leave the model answer right. Raise BadSlips."""
    return _edits("variants", _read(folder).get("variants", []))


@cache
def all_ids(katas: Path) -> frozenset[str]:
    """Return the ids of every kata's own mistakes. katas: the folder that holds the katas."""
    return frozenset(slip.id for path in katas.glob(f"*/{FILE}") for slip in slips(path.parent))


def _read(folder: Path) -> dict[str, Any]:
    path = folder / FILE
    if not path.is_file():
        return {}
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except ValueError as fault:
        raise BadSlips(str(fault)) from None


def _edits(name: str, edits: Any) -> tuple[Edit, ...]:
    shaped = isinstance(edits, list) and all(
        isinstance(edit, list)
        and edit
        and all(isinstance(pair, list) and len(pair) == 2 for pair in edit)
        for edit in edits
    )
    if not shaped:
        raise BadSlips(f'`{name}` is to be [[["before", "after"], …], …]')
    return tuple(tuple((pair[0], pair[1]) for pair in edit) for edit in edits)


def _slip(row: dict[str, Any]) -> Slip:
    name = row.get("id")
    if not isinstance(name, str) or not name:
        raise BadSlips("a mistake has no id")
    unknown = sorted(set(row) - _KEYS)
    if unknown:
        raise BadSlips(
            f"`{name}` has no key {', '.join(unknown)}; known: {', '.join(sorted(_KEYS))}"
        )
    for language in ("en", "zh"):
        if not str(row.get(language, "")).strip():
            raise BadSlips(f"`{name}` has no sentence in `{language}`")
    if row.get("group", "step") not in GROUPS:
        raise BadSlips(f"`{name}` has group {row['group']!r}; it must be of {', '.join(GROUPS)}")
    shows = row.get("shows", "")
    edits = _edits(name, row.get("edits", []))
    if not edits:
        raise BadSlips(f"`{name}` has no edits")
    return Slip(
        id=name,
        words={language: row[language].strip() for language in ("en", "zh")},
        edits=edits,
        group=row.get("group", "step"),
        shows=tuple(shows) if isinstance(shows, list) else (shows,),
        rank=row.get("rank", 1),
        calls=tuple(row.get("calls", ())),
    )
