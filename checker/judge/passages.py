"""A model answer's text in passages: of an edited one those that are as they were stay compiled."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

__all__ = ["passages"]


def passages(text: str, original: str) -> Iterator[str]:
    """Cut a text in front of and behind each statement of an original that it still has.

    The passages make up the text. What stands between two statements that it has is one passage.
    """
    place = 0
    for statement in _statements(original):
        at = text.find(statement, place)
        # Within another statement a line is further in.
        while at > 0 and text[at - 1] != "\n":
            at = text.find(statement, at + 1)
        if at >= 0:
            yield from [text[place:at]] if at > place else []
            yield statement
            place = at + len(statement)
    yield from [text[place:]] if place < len(text) else []


@lru_cache(maxsize=256)
def _statements(text: str) -> tuple[str, ...]:
    """The statements of a file's own, each with what stands behind it up to the next."""
    rows = text.splitlines(keepends=True)
    nodes = ast.parse(text).body
    starts = [min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))]) - 1
              for node in nodes]  # fmt: skip
    ends = [*starts[1:], len(rows)]
    return tuple(
        "".join(rows[start:end]) for start, end in zip([0, *starts[1:]], ends, strict=True)
    )
