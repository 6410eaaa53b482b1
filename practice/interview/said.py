"""What is said in an interview, as data: the screen and the plain lines draw the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...checker import Report
from ..debug.claims import Hint
from ..errors import Trouble

__all__ = ["Said", "note", "speech", "trouble"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One thing said.

    kind: speech (the interviewer, in words of the plan), say (the interviewer, a sentence
    of ours by its key), note (the program, by its key), typed (by the candidate), question,
    points, output (of the candidate's program), hint (on a bug), report, or help (commands).
    rows: a question's points, lines of output, or the commands that are explained.
    """

    kind: str
    key: str = ""
    values: Mapping[str, object] = field(default_factory=dict[str, object])
    text: str = ""
    rows: tuple[str, ...] = ()
    report: Report | None = None
    source: str = ""
    hint: Hint | None = None


def speech(text: str) -> Said:
    """Return words of the interviewer."""
    return Said(kind="speech", text=text.strip())


def note(key: str, **values: object) -> Said:
    """Return a sentence of the program's own."""
    return Said(kind="note", key=key, values=values)


def trouble(found: Trouble) -> Said:
    """Return what could not be kept."""
    return Said(kind="note", key=found.key, values=found.values)
