"""Where katas lie: the package's own, and those of packs that are trusted. Standard library only.

A pack is laid out as the package is: `kata/<id>/`, `reference/<module>.py`. What of it counts is
in a variable that the command sets once it has looked, for itself and for what it starts; a judge,
which may be there before, is told with each file.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

__all__ = ["OWN", "content", "declared", "kata_folders", "room_of", "take", "taken"]

OWN = Path(__file__).parent
_VARIABLE = "ATTN_KATA_TRUSTED"
_GROUP = "attn_kata.katas"
_CATALOGUE = "kata.toml"


def kata_folders() -> tuple[Path, ...]:
    """Return the folder of every kata: the package's own, then those that were taken."""
    return (*_own(), *taken())


@cache
def _own() -> tuple[Path, ...]:
    return tuple(sorted(path.parent for path in OWN.glob(f"*/{_CATALOGUE}")))


def taken() -> tuple[Path, ...]:
    """Return the folders of the katas that are not the package's own."""
    return tuple(map(Path, json.loads(os.environ.get(_VARIABLE, "[]"))))


def take(folders: Iterable[Path]) -> None:
    """Have the katas of these folders count, here and in every process that is started."""
    os.environ[_VARIABLE] = json.dumps([str(folder) for folder in folders])


def room_of(pack: Path) -> Path:
    """Return the folder of a pack's katas: `kata` in it, or itself."""
    found = pack.resolve()
    return found / "kata" if (found / "kata").is_dir() else found


def content(room: Path) -> str:
    """Return a digest of all that a pack's katas and model answers hold. Raise OSError."""
    digest = hashlib.sha256()
    for file in _files(room):
        name = os.path.relpath(file, room.parent)
        for part in (os.fsencode(name), file.read_bytes()):
            digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


def _files(room: Path) -> Iterator[Path]:
    for folder in (room, room.parent / "reference"):
        found = (path for path in sorted(folder.rglob("*")) if path.is_file())
        yield from (path for path in found if "__pycache__" not in path.parts)


def declared() -> Iterator[tuple[str, Path | None]]:
    """Yield the packs of installed packages: name and folder, None where there is none.

    The entry point is found in the packages' records, and its folder without an import, so that
    nothing of a package runs.
    """
    if not any(_GROUP in file.read_text("utf-8", "replace") for file in _records()):
        # To load what reads them properly takes longer than most commands.
        return
    from importlib.machinery import PathFinder
    from importlib.metadata import entry_points

    for point in entry_points(group=_GROUP):
        top, *rest = point.module.split(".")
        spec = PathFinder.find_spec(top)
        homes = (spec.submodule_search_locations if spec is not None else None) or ()
        places = (Path(home, *rest) for home in homes)
        yield point.name, next((place for place in places if place.is_dir()), None)


def _records() -> Iterator[Path]:
    places = (Path(place) for place in dict.fromkeys(sys.path) if Path(place).is_dir())
    return (file for place in places for file in place.glob("*-info/entry_points.txt"))
