"""What `dev new` writes: a kata that is whole, and whose words are still to be put in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ..practice.errors import Refusal
from .layout import PACKAGE, Folder, problem, read_toml

__all__ = ["KINDS", "new_kata", "unwritten_problems"]

KINDS = ("function", "class", "program")
_TEMPLATES = PACKAGE / "dev" / "templates"
_ID = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
# What stands where something is to be written: text may only quote it.
_MARK = re.compile(r"TO WRITE|待写")
_TEXTS = {".toml", ".md", ".py"}


def new_kata(name: str, kind: str, pack: Path) -> list[Path]:
    """Write a kata of a kind into a pack's folder, and return its files. Raise Refusal.

    name: as people will ask for it, in small letters, digits and hyphens.
    """
    if not _ID.fullmatch(name):
        raise Refusal("new-name", name=name)
    room = pack / "kata"
    module = name.replace("-", "_")
    words = {"kata_name": module, "KataName": _class(name), "kata-name": name}
    files = {pack / "reference" / f"{module}.py": _TEMPLATES / kind / "reference.py"}
    for folder in (_TEMPLATES / "shared", _TEMPLATES / kind):
        for path in sorted(folder.iterdir()):
            if path.suffix in _TEXTS and path.name != "reference.py":
                files[room / name / path.name] = path
    there = next((path for path in (room / name, *files) if path.exists()), None)
    if there is not None:
        raise Refusal("new-there", file=str(there))
    order = 1 + max(_orders(room), default=0)
    for path, template in files.items():
        text = re.sub("kata_name|KataName|kata-name", lambda found: words[found[0]],
                      template.read_text("utf-8"))  # fmt: skip
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("order = 0", f"order = {order}"), "utf-8")
    return sorted(files)


def unwritten_problems(folder: Folder) -> Iterator[str]:
    """Yield every line that is still to be written."""
    for kata in folder.katas():
        beside = [path for path in sorted(kata.folder.rglob("*")) if path.suffix in _TEXTS]
        texts = [(path, kata.file(path.relative_to(kata.folder).as_posix())) for path in beside]
        texts.append((kata.reference, f"reference/{kata.reference.name}"))
        for path, name in texts:
            for number, row in enumerate(_rows(path), 1):
                if _MARK.search(row):
                    yield problem(f"{name}:{number}", "is still to be written", "write it")


def _rows(path: Path) -> list[str]:
    return path.read_text("utf-8", "replace").splitlines() if path.is_file() else []


def _class(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("-"))


def _orders(room: Path) -> Iterator[int]:
    for path in room.glob("*/kata.toml"):
        try:
            order = read_toml(path).get("order", 0)
        except ValueError:
            # Which the linter tells.
            continue
        if isinstance(order, int):
            yield order
