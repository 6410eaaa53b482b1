"""All ways to get a line wrong, and what they make of a file. Standard library only."""

from __future__ import annotations

from collections.abc import Iterator

from .blocks import BLOCKS
from .drawing import DRAWING
from .kept import KEPT
from .kernels import KERNELS
from .layers import LAYERS
from .numbers import NUMBERS
from .programs import PROGRAMS
from .running import RUNNING
from .scores import SCORES
from .searching import SEARCHING
from .serving import SERVING
from .source import Change, Source
from .steps import STEPS

__all__ = ["OPERATORS", "changes"]

OPERATORS = (
    *NUMBERS, *SCORES, *LAYERS, *STEPS, *RUNNING, *PROGRAMS, *BLOCKS, *SERVING, *SEARCHING, *KEPT,
    *DRAWING, *KERNELS,
)  # fmt: skip


def changes(text: str, mistakes: frozenset[str]) -> Iterator[Change]:
    """Yield the changes of one line to a file, each wrong line once.

    mistakes: those that the kata knows. Two operators that write the same line are one change,
    which either's mistake explains.
    """
    source = Source(text)
    found: dict[tuple[int, str], Change] = {}
    for operator in OPERATORS:
        for change in operator.changes(source):
            known = change.mistakes & mistakes
            if not known:
                continue
            key = (change.line, change.wrong)
            before = found.get(key)
            named = known | before.mistakes if before else known
            found[key] = Change(before.operator if before else change.operator, *key, named)
    yield from found.values()
