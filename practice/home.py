"""Where a person's data lives, and how a file that cannot be used is kept aside."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

__all__ = [
    "alone", "beside_others", "home", "reason", "set_aside", "settings_folder", "shut", "there",
    "write_whole",
]  # fmt: skip

_VARIABLE = "ATTN_KATA_HOME"
_LOCK = "lock"


def home() -> Path:
    """Return the data folder, which may not exist yet."""
    chosen = os.environ.get(_VARIABLE)
    if chosen:
        return Path(chosen).expanduser()
    from platformdirs import user_data_dir

    return Path(user_data_dir("attn-kata", appauthor=False))


def settings_folder() -> Path:
    """Return the folder of the settings, which may not exist yet; `ATTN_KATA_HOME` holds all."""
    if os.environ.get(_VARIABLE):
        return home()
    from platformdirs import user_config_dir

    return Path(user_config_dir("attn-kata", appauthor=False))


@contextmanager
def alone(folder: Path) -> Generator[None]:
    """Keep other commands of the same person waiting meanwhile; the end of a process lets go."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / _LOCK).open("ab") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield


@contextmanager
def beside_others(folder: Path) -> Generator[None]:
    """Keep out only those who want to be alone."""
    try:
        stream = (folder / _LOCK).open("ab")
    except OSError:
        # Where it cannot be written, nobody moves anything.
        yield
        return
    with stream:
        fcntl.flock(stream, fcntl.LOCK_SH)
        yield


def set_aside(file: Path, why: str) -> Path:
    """Rename a file to the first free `NAME.WHY-1` and return the new name."""
    number = 1
    while True:
        kept = file.with_name(f"{file.name}.{why}-{number}")
        if not os.path.lexists(kept):
            file.rename(kept)
            return kept
        number += 1


def write_whole(file: Path, data: bytes, mode: int = 0o600) -> None:
    """Write a file whole or not at all, so that no reader ever sees half of it. Raise OSError."""
    number, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    fresh = Path(name)
    try:
        with os.fdopen(number, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(number)
        fresh.chmod(mode)
        fresh.replace(file)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise


def reason(fault: Exception) -> str:
    """Return the part of an exception that a person can use."""
    return getattr(fault, "strerror", None) or str(fault) or type(fault).__name__


def shut(folder: Path) -> Path | None:
    """Return what keeps a folder from being written: itself, a file in it, or what it stands in."""
    nearest = next(place for place in (folder, *folder.parents) if there(place))
    if not (nearest.is_dir() and _holds(nearest)):
        return nearest
    held = folder.iterdir() if nearest == folder else ()
    return next((file for file in held if not os.access(file, os.W_OK)), None)


def _holds(folder: Path) -> bool:
    """Whether a folder takes a new file: rights alone say nothing of root, or of a full disk."""
    try:
        with tempfile.TemporaryFile(dir=folder) as stream:
            stream.write(bytes(4096))
    except OSError:
        return False
    return True


def there(file: Path) -> bool:
    """Whether a file exists, and can be known to: `Path.exists` raises where it cannot."""
    return os.path.exists(file)  # noqa: PTH110
