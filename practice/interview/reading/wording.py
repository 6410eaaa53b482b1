"""Whose words a text is nearer to: of those who make a point, or of those who have it backwards.

The lexicon has no name for most of what people say. Here are the words as they stand, stems and
pairs of Chinese characters, weighed by how few of a bank's phrasings have them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from math import log, sqrt

from ....kata.catalogue import LANGUAGES
from ..hearing.acts import CJK
from ..hearing.tokens import stem
from ..questions import question_called
from .concepts import sentences_of
from .phrasings import Phrasings, bank_of, phrasings

__all__ = ["nearer"]

_WORDS = re.compile(r"[\u4e00-\u9fff]+|[a-z]+|\d+")

Words = frozenset[str]


def nearer(name: str, text: str) -> list[float]:
    """Return for each point of a question how much nearer a text is to those who make it.

    By cosines, so from -1 to 1, in the one or two sentences that come nearest to either side.
    """
    alone = sentences_of(text)
    windows = [_words(one) for one in (*alone, *map(" ".join, pairwise(alone)))]
    found: list[float] = []
    for right, wrong in _sides(name):
        near = [(_near(name, one, right), _near(name, one, wrong)) for one in windows]
        made, missed = max(near, key=max, default=(0.0, 0.0))
        found.append(made - missed)
    return found


def _near(name: str, window: Words, many: Sequence[Words]) -> float:
    """Return the largest cosine between a window and any of some phrasings."""
    own = _size(name, window)
    met = [(one, one & window) for one in many if one & window]
    return max((_size(name, both) / sqrt(own * _size(name, one)) for one, both in met), default=0.0)


def _size(name: str, words: Words) -> float:
    """Return the square of how long a text is: the rarer its words, the longer."""
    counts, every = _counted(name)
    return sum(log((every + 2) / (counts[word] + 1)) ** 2 for word in words)


@cache
def _sides(name: str) -> tuple[tuple[tuple[Words, ...], tuple[Words, ...]], ...]:
    """Return the words of who makes each point, and of who has it backwards."""
    asked = [question_called(name, language) for language in LANGUAGES]
    traps = tuple(one.trap for one in asked if one.trap)
    own = [tuple(one.points[at] for one in asked) for at in range(len(asked[0].points))]
    some = phrasings(name) or [Phrasings((), traps)] * len(own)
    return tuple(
        (tuple(map(_words, (*mine, *one.right))), tuple(map(_words, one.wrong)))
        for mine, one in zip(own, some, strict=True)
    )


@cache
def _counted(name: str) -> tuple[Counter[str], int]:
    """Return in how many phrasings of its bank a word stands, and how many those are."""
    points = [point for question in bank_of(name).values() for point in question]
    texts = [text for point in points for text in (*point.right, *point.wrong)]
    return Counter(word for text in texts for word in _words(text)), len(texts)


@cache
def _words(text: str) -> Words:
    found: set[str] = set()
    for run in _WORDS.findall(text.lower()):
        pairs = {run[at : at + 2] for at in range(max(1, len(run) - 1))}
        found |= pairs if CJK.match(run) else {stem(run)}
    return frozenset(found)
