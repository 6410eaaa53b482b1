"""What `check` is asked to judge: katas and files, from what a person typed."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..kata.catalogue import Kata, UnknownKata, find, katas
from .errors import Refusal
from .home import reason, there
from .workspace import Workspace

__all__ = ["Target", "kata_called", "near", "read_text", "targets"]

_HEADER = re.compile(r"#\s*attn-kata:\s*(\S+)")
_ENDINGS = (".py", ".ipynb", ".txt")


@dataclass(frozen=True, slots=True)
class Target:
    """A file and the kata it answers. guessed: nobody named the file."""

    kata: Kata
    file: Path
    guessed: bool = False


def kata_called(name: str) -> Kata:
    """Return a kata by name; raise Refusal with the nearest names."""
    try:
        return find(name)
    except UnknownKata as unknown:
        names = ("katas", " ".join(kata.id for kata in katas()))
        near = ", ".join(f"`{near}`" for near in unknown.nearest)
        key = "no-kata-near" if near else "no-kata"
        raise Refusal(key, name=name, nearest=near, notes=(names,), commands=("list",)) from None


def targets(arguments: Sequence[str], workspace: Workspace) -> list[Target]:
    """Return what to judge, in the order given. Raise Refusal where it is unclear."""
    if not arguments:
        return [_latest(workspace)]
    first = arguments[0]
    named = _named(first)
    if named is None and not _looks_like_file(first):
        kata_called(first)
    files = [Path(argument) for argument in (arguments[1:] if named else arguments)]
    _all_there(files)
    if named is None:
        return [Target(_kata_of(file), file) for file in files]
    if not files:
        return [_of_kata(named, workspace)]
    return [Target(named, file) for file in files]


def _named(name: str) -> Kata | None:
    try:
        return find(name)
    except UnknownKata:
        return None


def _looks_like_file(name: str) -> bool:
    return name.endswith(_ENDINGS) or os.sep in name or os.path.lexists(name)


def _all_there(files: Sequence[Path]) -> None:
    # A link that leads nowhere, or in a circle, is there: the judge says what is wrong with it.
    missing = [str(file) for file in files if not os.path.lexists(file)]
    if len(missing) == 1:
        raise Refusal("no-file", file=missing[0])
    if missing:
        raise Refusal("no-files", files=", ".join(missing))


def _latest(workspace: Workspace) -> Target:
    found = workspace.latest()
    if found is None:
        raise Refusal("nothing-started", commands=("list", f"start {katas()[0].id}"))
    kata, file = found
    return Target(kata_called(kata), near(file), guessed=True)


def _of_kata(kata: Kata, workspace: Workspace) -> Target:
    started = workspace.file(kata.id)
    if started is not None:
        return Target(kata, near(started), guessed=True)
    here = Path(f"{kata.id}.py")
    if there(here):
        return Target(kata, here)
    raise Refusal("not-started", kata=kata.id, commands=(f"start {kata.id}",))


def near(file: Path) -> Path:
    """Return a file as one would call it from here."""
    try:
        return file.relative_to(Path.cwd())
    except (ValueError, OSError):
        return file


def _kata_of(file: Path) -> Kata:
    header = _header(file)
    if header:
        return kata_called(header)
    by_name = _named(file.stem)
    if by_name is not None:
        return by_name
    raise Refusal(
        "kata-unknown",
        file=str(file),
        notes=(("how", "kata-unknown-how"),),
        commands=("check mha {file}",),
    )


def _header(file: Path) -> str | None:
    # A pipe is read once, by the judge; only a real file is looked into here.
    if not file.is_file():
        return None
    try:
        with file.open("rb") as stream:
            first = stream.readline(1000)
    except OSError:
        return None
    found = _HEADER.match(first.decode("utf-8-sig", "replace").strip())
    return found[1] if found else None


def read_text(file: Path) -> str:
    """Return a file's text; raise Refusal where there is none to read."""
    try:
        return file.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as fault:
        key = "cannot-read" if there(file) else "no-file"
        raise Refusal(key, file=str(file), reason=reason(fault)) from None
