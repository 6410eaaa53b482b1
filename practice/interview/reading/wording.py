"""Whose words a text is nearer to: of those who make a point, or of those who have it backwards.

The lexicon has no name for most of what people say. Here are the words as they stand, stems and
pairs of Chinese characters, weighed by how few of a bank's phrasings have them.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from itertools import pairwise
from math import log

from ....kata.catalogue import LANGUAGES
from ..hearing.acts import CJK
from ..hearing.tokens import stem
from ..questions import question_called
from .concepts import sentences_of
from .neighbours import Names, Neighbours, neighbours
from .phrasings import of_bank, phrasings

__all__ = ["nearer"]

# Two points are often made in one sentence, each in so many words at least.
_SAYS, _SAYS_ZH = 5, 9
_PART = re.compile(r"[,;:，；：]\s*|\s+(?:and|but|so|with|while|because)\s+")
_WORDS = re.compile(r"[\u4e00-\u9fff]+|[a-z]+|\d+")


def nearer(name: str, text: str) -> list[tuple[float, float]]:
    """Return for each point of a question how much nearer a text's words are to who makes it.

    And how much nearer some of them are to it than to the other points.
    """
    alone = sentences_of(text)
    windows = [_words(one) for one in (*alone, *map(" ".join, pairwise(alone)))]
    parts = [_words(part) for one in alone for part in _PART.split(one)]
    least = _SAYS_ZH if CJK.search(text) else _SAYS
    return _near(name).nearer(windows, [one for one in parts if len(one) >= least])


@cache
def _near(name: str) -> Neighbours:
    asked = [question_called(name, language) for language in LANGUAGES]
    counts, every = _counted(name.partition(":")[0])

    def weight(word: str) -> float:
        return log((every + 2) / (counts[word] + 1))

    return neighbours(asked, phrasings(name), weight, _words)


@cache
def _counted(bank: str) -> tuple[Counter[str], int]:
    """Return in how many phrasings of a bank a word stands, and how many those are."""
    points = [point for question in of_bank(bank).values() for point in question]
    texts = [text for point in points for text in (*point.right, *point.wrong)]
    return Counter(word for text in texts for word in _words(text)), len(texts)


@cache
def _words(text: str) -> Names:
    found: set[str] = set()
    for run in _WORDS.findall(text.lower()):
        pairs = {run[at : at + 2] for at in range(max(1, len(run) - 1))}
        found |= pairs if CJK.match(run) else {stem(run)}
    return frozenset(found)
