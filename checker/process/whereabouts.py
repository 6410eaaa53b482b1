"""Where a candidate stood when it ended: a phase, and the last line of its own file.

A candidate that is asked by a signal writes every thread's frames to its judge by code
of C's own, so that it answers from inside a loop of Python's or of torch's too. What it
writes is a claim like any other, and used for nothing but a line in a message.
"""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass

__all__ = ["ASK", "Place", "read"]

ASK = signal.SIGUSR2

_FRAME = re.compile(r'^  File "(.*)", line (\d+) in (\S+)$')
_OURS = ("/checker/candidate/worker.py", "/checker/candidate/results.py")
_PHASES = {
    "load": "import",
    "_built": "construct",
    "_describe": "construct",
    "_run": "construct",
    "_call": "forward",
    "_pretend": "forward",
    "gradients": "backward",
    "jacobian": "backward",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A phase (import, construct, forward, backward) and a line, as far as they are known."""

    phase: str | None = None
    line: int | None = None


def read(text: str, path: str) -> Place:
    """Find where the thread that serves the judge stands, in the last frames that were written."""
    shown = "".join(map(_shown, path))
    best = Place()
    for thread in re.split(r"\n(?=\S)", text):
        place = _place(thread, shown)
        if place.phase is not None or (best.phase is None and place.line is not None):
            best = place
    return best


def _place(thread: str, shown: str) -> Place:
    line, phase = None, None
    for row in thread.splitlines():
        found = _FRAME.match(row)
        if not found:
            continue
        file, number, function = found.groups()
        # The innermost comes first.
        cut = file.endswith("...") and shown.startswith(file[:-3])
        if line is None and (file == shown or cut):
            line = int(number)
        if file.endswith(_OURS) and function in _PHASES:
            phase = _PHASES[function]
            break
    return Place(phase=phase, line=line)


def _shown(char: str) -> str:
    """Write a character as Python's own fault handler does."""
    if " " <= char <= "~":
        return char
    code = ord(char)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
