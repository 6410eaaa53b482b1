"""Hand out a file, most often a kata's stub, without ever losing what a person wrote."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from ..kata.catalogue import Kata
from .errors import Refusal
from .home import reason

__all__ = ["Started", "already_there", "hand_out", "start"]


@dataclass(frozen=True, slots=True)
class Started:
    """The file that was written, and where the one before it went."""

    file: Path
    backup: Path | None


def start(
    kata: Kata, folder: Path, *, force: bool, language: str = "en", name: str = ""
) -> Started:
    """Write `K.py` into a folder. Raise Refusal where it is there or cannot be written.

    force: keep what is there under another name. language: of its comments. name: the file's,
    where it is another.
    """
    if kata.lacking:
        raise Refusal("kata-lacking", name=kata.lacking)
    file = folder / (name or f"{kata.id}.py")
    there = "" if folder == Path() else " --dir {folder}"
    commands = (f"check {kata.id} {{file}}", f"start {kata.id}{there} --force")
    elsewhere = (f"start {kata.id} --dir ~/attn-kata",)
    return hand_out(file, kata.stub(language), force=force, commands=commands, elsewhere=elsewhere)


def hand_out(
    file: Path, text: str, *, force: bool, commands: tuple[str, ...], key: str = "already-there",
    elsewhere: tuple[str, ...] = (),
) -> Started:  # fmt: skip
    """Write a file. Raise Refusal where it is there or cannot be written.

    force: keep what is there under another name. commands, key: what the refusal of a file that is
    there says. elsewhere: what to do where none can be written.
    """
    folder = file.parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Whole before it takes its name: a full disk costs nobody a file.
        number, temporary = tempfile.mkstemp(dir=folder, prefix=f".{file.name}.")
        made = Path(temporary)
        try:
            with os.fdopen(number, "w", encoding="utf-8") as stream:
                stream.write(text)
            made.chmod(0o666 & ~_umask())
            backup = _keep(file) if force and os.path.lexists(file) else None
            _put(made, file)
        finally:
            made.unlink(missing_ok=True)
    except FileExistsError as fault:
        if not os.path.lexists(file):
            raise _unwritable(file, fault, elsewhere) from None
        raise already_there(file, commands, key) from None
    except OSError as fault:
        raise _unwritable(file, fault, elsewhere) from None
    return Started(file, backup)


def already_there(file: Path, commands: tuple[str, ...], key: str = "already-there") -> Refusal:
    """Return why a file that is there is not written over."""
    return Refusal(
        key,
        file=str(file),
        folder=str(file.parent),
        kept=_free(file).name,
        notes=(("how", "force-keeps"),),
        commands=commands,
    )


def _unwritable(file: Path, fault: OSError, elsewhere: tuple[str, ...]) -> Refusal:
    return Refusal("cannot-write", file=str(file), reason=reason(fault), commands=elsewhere)


def _free(file: Path) -> Path:
    number = 1
    while os.path.lexists(file.with_name(f"{file.name}.bak{number}")):
        number += 1
    return file.with_name(f"{file.name}.bak{number}")


def _keep(file: Path) -> Path:
    while True:
        backup = _free(file)
        try:
            _put(file, backup)
        except FileExistsError:
            # Another command took the name meanwhile.
            continue
        return backup


def _put(file: Path, name: Path) -> None:
    """Rename a file; raise FileExistsError where the name is taken, even if just now."""
    try:
        os.link(file, name, follow_symlinks=False)
    except FileExistsError:
        raise
    except (OSError, NotImplementedError):
        # No hard links here, or a folder: nothing closes the gap between look and rename.
        if os.path.lexists(name):
            raise FileExistsError(str(name)) from None
        file.rename(name)
    else:
        file.unlink()


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
