"""Work out the figures of the pages on mistakes, from the model answers and from torch.

A page holds `{key}` where a figure belongs, and `{numbers}` where the model answer's steps
belong, right and wrong. `python -m attn_kata.dev.figures` works them out and stores them
beside the pages, so that opening a page needs no torch. Of the packs whose folders are given the
lessons' outputs alone are worked out. With `--check` nothing is written,
and the exit status is 1 where a stored figure is not what the code gives.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from ..kata.catalogue import katas
from ..kata.lessons import OUTPUTS
from ..kata.packs import room_of
from ..kata.pages import FIGURES
from .claims import claims
from .examples import examples
from .lessons import stored
from .numbers import blocks, own_blocks

__all__ = ["main", "own", "written"]

_NOTE = "# Written by `python -m attn_kata.dev.figures`; see there. Change nothing by hand.\n"


def written() -> str:
    """Return what the file of figures must hold."""
    found: dict[str, dict[str, str]] = {}
    for name, figures in (*blocks(), *claims()):
        found.setdefault(name, {}).update(figures)
    for name, figures in _from_pages().get(FIGURES.parent, {}).items():
        found.setdefault(name, {}).update(figures)
    return _NOTE + "".join(_table(name, found[name]) for name in sorted(found))


def own() -> dict[Path, str]:
    """Return what each kata's file of figures must hold, and its lesson's file of outputs."""
    found = {}
    from_pages = _from_pages()
    for kata in katas():
        if (kata.folder / "pages").is_dir():
            shown = from_pages.get(kata.folder, {})
            named = dict(own_blocks(kata, shown)) | shown
            tables = [_table(name, figures) for name, figures in sorted(named.items())]
            found[kata.folder / FIGURES.name] = _NOTE + "".join(tables)
        found[kata.folder / OUTPUTS] = stored(kata.folder)
    return found


def lessons(rooms: Sequence[Path]) -> dict[Path, str]:
    """Return what the lessons' files of outputs of rooms of katas must hold."""
    folders = [path.parent for room in rooms for path in sorted(room.glob("*/kata.toml"))]
    return {folder / OUTPUTS: stored(folder) for folder in folders}


def _from_pages() -> dict[Path, dict[str, dict[str, str]]]:
    """What the pages' own code shows, by folder: it goes before the model answer's steps."""
    found: dict[Path, dict[str, dict[str, str]]] = {}
    for folder, name, figures in examples(FIGURES.parent.parent):
        found.setdefault(folder, {})[name] = figures
    return found


def _table(name: str, figures: dict[str, str]) -> str:
    rows = [f"\n[{name}]\n"]
    for key, value in sorted(figures.items()):
        if "\n" in value:
            rows.append(f"{key} = '''\n{value}'''\n")
        else:
            # JSON's strings are TOML's, for what is printable.
            rows.append(f"{key} = {json.dumps(value, ensure_ascii=False)}\n")
    return "".join(rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Store the figures, or check those stored; return the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    packs = [room_of(Path(one)) for one in given if not one.startswith("-")]
    every = lessons(packs) if packs else {FIGURES: written(), **own()}
    if "--check" not in given:
        for file, now in every.items():
            file.write_text(now, "utf-8")
        return 0
    stale = [f for f, now in every.items() if not f.is_file() or f.read_text("utf-8") != now]
    for file in stale:
        name = f"{file.parent.name}/{file.name}"
        print(f"{name}: its figures are out of date; run `make figures`")
    return int(bool(stale))


if __name__ == "__main__":
    sys.exit(main())
