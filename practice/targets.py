"""What `check` is asked to judge: katas and files, from what a person typed.

Where no file is named, the one in the current folder is meant; another folder's never goes
unasked.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..kata.catalogue import Kata, katas, known
from .errors import Refusal
from .home import reason, there
from .recognise import ENDINGS, INPUT, answers, kata_called, kata_of
from .workspace import Workspace, changed

__all__ = [
    "INPUT",
    "Target",
    "current",
    "file_here",
    "known_here",
    "near",
    "one_file",
    "read_text",
    "standard_input",
    "targets",
]

_LARGEST = 64 << 20
# A folder with more files than this is no folder of katas.
_MANY = 200
# No name of a file is longer.
_LONG = 256


@dataclass(frozen=True, slots=True)
class Target:
    """A file and the kata it answers.

    guessed: nobody named the file. elsewhere: it lies in another folder, where nobody named
    it: to be asked about. called: its name in reports, where that is not the file's.
    """

    kata: Kata
    file: Path
    guessed: bool = False
    elsewhere: bool = False
    called: str = ""

    @property
    def name(self) -> str:
        """How reports and messages call the file."""
        return self.called or str(self.file)


@contextmanager
def standard_input(arguments: Sequence[str]) -> Generator[Path | None]:
    """Keep what comes by standard input in a file meanwhile, where `-` asks for it."""
    if INPUT not in arguments:
        yield None
        return
    text = sys.stdin.buffer.read(_LARGEST + 1)
    with tempfile.TemporaryDirectory(prefix="attn-kata-") as folder:
        ending = ".ipynb" if text.lstrip().startswith(b"{") and b'"cells"' in text else ".py"
        file = Path(folder) / f"stdin{ending}"
        file.write_bytes(text)
        yield file


def targets(
    arguments: Sequence[str], workspace: Workspace, command: str, held: Path | None = None
) -> list[Target]:
    """Return what to judge, in the order given. Raise Refusal where it is unclear.

    command: what was typed, and is suggested with what would be clear. held: the file that
    holds what came by standard input.
    """
    if not arguments:
        return [_latest(workspace, command)]
    first = arguments[0]
    kata = known(first)
    if kata is None and not _looks_like_file(first):
        kata_called(first)
    files = list(arguments[1:] if kata else arguments)
    _all_there([file for file in files if file != INPUT], kata, command)
    if kata is not None and not files:
        return [_of_kata(kata, workspace, command)]
    found: list[Target] = []
    for name in files:
        typed = name == INPUT and held is not None
        file = held if typed and held is not None else Path(name)
        said = kata or kata_of(file, name, command)
        found.append(Target(said, file, called=INPUT if typed else ""))
    return found


def one_file(arguments: Sequence[str], command: str) -> Refusal:
    """Say that a command takes one file at a time, and how the first of these is typed."""
    at = 1 if known(arguments[0]) else 0
    asked = " ".join((command, *arguments[:at]))
    return Refusal(f"{command}-one-file", file=arguments[at], commands=(f"{asked} {{file}}",))


def current(name: str | None, workspace: Workspace, command: str) -> Kata:
    """Return a kata by name; without one, that of the file started or changed last.

    command: what was typed. Raise Refusal where there is none.
    """
    return kata_called(name) if name is not None else _latest(workspace, command).kata


def file_here(kata: Kata, workspace: Workspace, command: str) -> Path | None:
    """Return a kata's file in this folder: the one worked on or `K.py`, or the only one that fits.

    Raise Refusal where several fit, with the command for each: `{file}` in it is the file's name.
    """
    known = known_here(kata, workspace)
    if known is not None:
        return known
    found = [file for file in _sources(Path()) if kata in [fit.kata for fit in answers(file)]]
    if len(found) > 1:
        named: dict[str, Any] = {f"file{at}": str(file) for at, file in enumerate(found)}
        commands = dict.fromkeys(command.replace("{file}", f"{{{name}}}") for name in named)
        raise Refusal("several-here", kata=kata.id, files=", ".join(named.values()),
                      commands=tuple(commands), **named)  # fmt: skip
    return found[0] if found else None


def known_here(kata: Kata, workspace: Workspace, folder: Path = Path()) -> Path | None:
    """Return a kata's file in a folder by what is known and its name, without a look into any.

    Of the one worked on and `K.py`, that which was changed last.
    """
    known = workspace.file(kata.id)
    mine = [known] if known is not None and _same(known.parent, folder) else []
    named = [folder / f"{kata.id}{ending}" for ending in ENDINGS]
    return max([*mine, *filter(there, named)], key=changed, default=None)


def _looks_like_file(name: str) -> bool:
    plain = name == INPUT or name.endswith((*ENDINGS, ".txt"))
    return plain or os.sep in name or os.path.lexists(name)


def _all_there(files: Sequence[str], kata: Kata | None, command: str) -> None:
    # A link that leads nowhere, or in a circle, is there: the judge says what is wrong with it.
    missing = [file for file in files if not os.path.lexists(file)]
    if len(missing) == 1:
        raise _missing(Path(missing[0]), kata, command)
    if missing:
        raise Refusal("no-files", files=", ".join(missing), commands=(f"{command} --help",))
    folder = next((file for file in files if Path(file).is_dir()), None)
    if folder is not None:
        raise Refusal("is-folder", file=folder, commands=(f"{command} --help", "grade {file}"))


def _missing(file: Path, kata: Kata | None, command: str) -> Refusal:
    """Say that a file is not there, and which was probably meant."""
    from difflib import get_close_matches

    names = {one.name: str(near(one)) for one in _sources(file.parent)}
    alike = get_close_matches(file.name, names, n=1) if len(file.name) < _LONG else []
    asked = f" {kata.id}" if kata is not None else ""
    commands = [f"{command}{asked} {{nearest}}" for _ in alike]
    if kata is not None and not alike:
        commands = [f"start {kata.id}"]
    return Refusal(
        "no-file-near" if alike else "no-file", file=str(file),
        nearest=names[alike[0]] if alike else "", commands=(*commands, f"{command} --help"),
    )  # fmt: skip


def _latest(workspace: Workspace, command: str) -> Target:
    """The file in this folder that was started or changed last; else one in another."""
    known = {os.path.realpath(file): kata for kata, file in workspace.files()}
    for file in _sources(Path()):
        kata = known.get(os.path.realpath(file)) or _kata_said(file, command)
        if kata is not None:
            return Target(kata_called(kata), file, guessed=True)
    found = workspace.latest()
    if found is None:
        raise Refusal("nothing-started", commands=("list", f"start {katas()[0].id}"))
    kata, file = found
    return Target(kata_called(kata), file, guessed=True, elsewhere=True)


def _of_kata(kata: Kata, workspace: Workspace, command: str) -> Target:
    here = file_here(kata, workspace, f"{command} {kata.id} {{file}}")
    if here is not None:
        return Target(kata, near(here), guessed=here.stem != kata.id)
    known = workspace.file(kata.id)
    if known is not None:
        return Target(kata, known, guessed=True, elsewhere=True)
    link = Path(f"{kata.id}.py")
    if link.is_symlink():
        # It leads nowhere, which the judge says: no stub could be handed out in its place.
        return Target(kata, link)
    raise Refusal("not-started", kata=kata.id, commands=(f"start {kata.id}",))


def _kata_said(file: Path, command: str) -> str | None:
    try:
        # Many a file that answers no kata has a softmax of its own.
        return kata_of(file, str(file), command, functions=False).id
    except Refusal as refusal:
        if refusal.key == "kata-several":
            raise
        return None


def _sources(folder: Path) -> list[Path]:
    """The files of a folder that may be submissions, the one changed last first."""
    try:
        found = [file for file in folder.iterdir() if file.suffix in ENDINGS and file.is_file()]
        return sorted(found, key=lambda file: file.stat().st_mtime, reverse=True)[:_MANY]
    except OSError:
        return []


def _same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def near(file: Path) -> Path:
    """Return a file as one would call it from here."""
    try:
        return file.relative_to(Path.cwd())
    except (ValueError, OSError):
        return file


def read_text(file: Path) -> str:
    """Return a file's text; raise Refusal where there is none to read."""
    try:
        return file.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as fault:
        key = "cannot-read" if there(file) else "no-file"
        raise Refusal(key, file=str(file), reason=reason(fault)) from None
