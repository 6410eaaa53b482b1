"""Which names are meant by one that there is not: misspelt, mistaken for digits, or written out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher

__all__ = ["nearest"]

# What is easily read or typed for a digit.
_ALIKE = str.maketrans("lio", "110")
_ENOUGH, _BEHIND, _MOST = 0.5, 0.25, 3
# Shorter beginnings than this are those of too many names.
_BEGINNING = 4


def nearest(wanted: str, names: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    """Return the names most like one, the nearest first. names: each with its longer forms."""
    said = _bare(wanted)
    scores = {
        name: max(_like(said, name), *(_long_like(said, _bare(way)) for way in ways), 0.0)
        for name, ways in names.items()
    }
    best = max(scores.values(), default=0.0)
    least = max(_ENOUGH, best - _BEHIND)
    found = sorted((name for name in scores if scores[name] >= least), key=lambda one: -scores[one])
    return tuple(found[:_MOST])


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.lower())


def _like(said: str, name: str) -> float:
    """Compare with a short name; the same letters in another order are a slip of the fingers."""
    own = _bare(name)
    if said.translate(_ALIKE) == own.translate(_ALIKE) or sorted(said) == sorted(own):
        return 1.0
    return SequenceMatcher(None, own, said).ratio()


def _long_like(said: str, way: str) -> float:
    """Compare with a longer form, or with as much of its beginning; the shorter form is nearer."""
    if len(said) < _BEGINNING or len(said) > len(way) + _BEGINNING:
        return 0.0
    begun = SequenceMatcher(None, way[: len(said)], said).ratio()
    whole = SequenceMatcher(None, way, said).ratio()
    return max(whole, 0.8 * begun + 0.05 * whole)
