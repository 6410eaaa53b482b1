"""The lines of a submission, for a report to quote."""

from __future__ import annotations

from pathlib import Path

from ..checker import Unreadable, read

__all__ = ["lines_of"]

_LARGEST = 4 << 20


def lines_of(file: Path) -> list[str]:
    """The lines to quote from, as a report counts them; none where there is no such file."""
    if file.suffix == ".ipynb":
        return _code_of(file)
    try:
        if not file.is_file() or file.stat().st_size > _LARGEST:
            return []
        # As Python counts them, which a form feed does not end.
        return file.read_text("utf-8-sig", errors="replace").removesuffix("\n").split("\n")
    except OSError:
        return []


def _code_of(notebook: Path) -> list[str]:
    """The code of a notebook's cells, one below the other."""
    try:
        return read(notebook).text.split("\n") if notebook.is_file() else []
    except Unreadable:
        return []
