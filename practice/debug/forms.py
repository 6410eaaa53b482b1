"""A file in another form: other names, another layout, the same bugs on lines of their own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

__all__ = ["FORMS", "rewritten"]

# How many other forms of a file are tried.
FORMS = 8
# Remarks in whatever language would be another person's, and hints say nothing of a bug.
_LEFT_OUT = ("comments", "docstrings", "more-hints", "fewer-hints")

Formed = tuple[list[str], list[str], list[int]]


def rewritten(
    right: Sequence[str], wrong: Sequence[str], places: Sequence[int], seed: int
) -> Formed | None:
    """Return both files rewritten by the same seed, and where the wrong lines stand then.

    None where the two then differ anywhere but in those lines, or do not differ there: what is
    right and what is wrong could not be told by their lines.
    """
    first = _rewrite("\n".join(right) + "\n", seed, tuple(places))
    second = _rewrite("\n".join(wrong) + "\n", seed, tuple(places))
    if first is None or second is None or first[1] != second[1]:
        return None
    lines = [text.splitlines() for text, _ in (first, second)]
    if len(lines[0]) != len(lines[1]):
        return None
    moved = dict(first[1])
    if not all(place in moved for place in places):
        return None
    now = [moved[place] for place in places]
    differ = {at for at, (a, b) in enumerate(zip(*lines, strict=True), 1) if a != b}
    return (lines[0], lines[1], now) if differ == set(now) and len(differ) == len(now) else None


@cache
def _rewrite(
    text: str, seed: int, places: tuple[int, ...]
) -> tuple[str, tuple[tuple[int, int], ...]] | None:
    from ...dev.rewrite import rewrite
    from ...dev.rewrite.compose import chosen

    passes = [name for name in chosen(seed) if name not in _LEFT_OUT]
    try:
        found = rewrite(text, seed=seed, follow=places, passes=passes)
    except (SyntaxError, ValueError):
        return None
    return found.source, tuple(sorted(found.lines.items()))
