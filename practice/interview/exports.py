"""Write a report to a file, and overwrite none unasked."""

from __future__ import annotations

from pathlib import Path

from ..errors import Refusal
from ..home import reason

__all__ = ["write"]


def write(file: Path, text: str, *, force: bool) -> None:
    """Write a text; raise Refusal where the file is there or cannot be written."""
    try:
        with file.open("w" if force else "x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError:
        raise Refusal("export-there", file=str(file)) from None
    except OSError as fault:
        raise Refusal("cannot-write", file=str(file), reason=reason(fault)) from None
