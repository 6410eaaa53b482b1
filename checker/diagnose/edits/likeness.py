"""How much an edit of a submission is like the one that takes a mistake back."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from keyword import iskeyword
from typing import NamedTuple

import torch

__all__ = ["Change"]

_WORDS = re.compile(r"\d+\.?\d*(?:e[+-]?\d+)?|\w+|//|\*\*|[<>=!]=|[^\w\s]")
# What stands for nothing by itself.
_SILENT = {"(", ")", ".", ","}


class Change(NamedTuple):
    """What an edit takes away and puts there. words: each with a sign; kinds: of which they are."""

    words: Counter[str]
    kinds: Counter[str]

    @classmethod
    def of(cls, old: str, new: str) -> Change:
        """Compare two texts."""
        before, after = _words_of(old), _words_of(new)
        told = [("-", before - after), ("+", after - before)]
        words = [(sign, word) for sign, many in told for word in many.elements()]
        return cls(
            Counter(sign + word for sign, word in words),
            Counter(sign + _kind(word) for sign, word in words),
        )

    def like(self, other: Change) -> float:
        """How much of what two take away and put there is the same, from 0 to 1.

        Half of it is for another number or name of the same kind.
        """
        return (_shared(self.words, other.words) + _shared(self.kinds, other.kinds)) / 2


@lru_cache(maxsize=4096)
def _words_of(text: str) -> Counter[str]:
    """The words and signs of a text, of which each name of its author's is a name."""
    return Counter(_word(one) for one in _WORDS.findall(text) if one not in _SILENT)


def _word(word: str) -> str:
    known = iskeyword(word) or hasattr(torch.Tensor, word) or hasattr(torch, word)
    return word if known or not word.isidentifier() or word == "keepdim" else "name"


def _kind(word: str) -> str:
    name = word.isidentifier() and not iskeyword(word)
    return "number" if word[0].isdigit() else "name" if name else word


def _shared(mine: Counter[str], others: Counter[str]) -> float:
    if not mine and not others:
        return 1.0
    same = sum(min(count, others[word]) for word, count in mine.items() if word in others)
    return same / (mine.total() + others.total() - same)
