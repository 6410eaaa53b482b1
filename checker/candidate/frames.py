"""In the candidate's process: which frames are running, and which lines of the submission."""

from __future__ import annotations

import sys
from types import FrameType

__all__ = ["caller", "line_in", "lines_in"]


def caller() -> FrameType | None:
    """Return the frame that called the function in which this stands."""
    here = sys._getframe(1)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - inspect's too
    return here.f_back


def line_in(path: str) -> int | None:
    """Return the line that is running in a file, in its innermost frame; None where none is."""
    lines = lines_in(path)
    return lines[0] if lines else None


def lines_in(path: str) -> list[int]:
    """Return the lines that are running in a file, the innermost frame's first."""
    found = []
    frame = caller()
    while frame is not None:
        if frame.f_code.co_filename == path:
            found.append(frame.f_lineno)
        frame = frame.f_back
    return found
