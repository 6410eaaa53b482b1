"""What a submission prints, call by call: a mark in the stream, taken out again by the judge."""

from __future__ import annotations

__all__ = ["CALL_MARK", "parted"]

# ASCII's record separator, which no print is about.
CALL_MARK = "\x1e"


def parted(stream: str) -> tuple[str, list[int]]:
    """Return what was printed without the marks, and where in it each call's prints begin."""
    pieces = stream.split(CALL_MARK)
    starts = [sum(map(len, pieces[: place + 1])) for place in range(len(pieces) - 1)]
    return "".join(pieces), starts
