"""Write a picture where a person wants it, and never over something that is theirs."""

from __future__ import annotations

import os
from pathlib import Path

from .errors import Refusal
from .home import reason, write_whole

__all__ = ["KINDS", "promise", "save"]

KINDS = (".svg", ".png")
# Both kinds carry it near their beginning; see terminal.picture.
_MARK = b"attn-kata heat"
_HEAD = 2048


def promise(file: Path, *, force: bool, files: int) -> None:
    """Refuse a picture that could not be written, before anything is judged for it.

    files: how many are judged; a picture shows one.
    """
    if files > 1:
        raise Refusal("picture-one", count=files)
    if file.suffix.lower() not in KINDS:
        raise Refusal("picture-kind", file=str(file))
    if not file.parent.is_dir():
        raise Refusal("picture-nowhere", file=str(file), folder=str(file.parent))
    if file.is_dir() or (file.exists() and not force and not _ours(file)):
        raise Refusal("picture-there", file=str(file), notes=(("how", "picture-force"),))


def save(file: Path, data: bytes) -> None:
    """Write a picture whole or not at all."""
    try:
        write_whole(file, data, 0o666 & ~_umask())
    except OSError as fault:
        raise Refusal("cannot-write", file=str(file), reason=reason(fault)) from None


def _ours(file: Path) -> bool:
    try:
        with file.open("rb") as held:
            return _MARK in held.read(_HEAD)
    except OSError:
        return False


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
