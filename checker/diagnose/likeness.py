"""How much an edit of a submission is like the one that takes a mistake back."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

import torch

__all__ = ["likeness"]

_WORDS = re.compile(r"\d+\.?\d*(?:e[+-]?\d+)?|\w+|//|\*\*|[<>=!]=|[^\w\s]")
# What stands for nothing by itself.
_SILENT = {"(", ")", ".", ","}


@lru_cache(maxsize=4096)
def _words_of(text: str) -> Counter[str]:
    """The words and signs of a text, of which each name of its author's is a name."""
    return Counter(_word(one) for one in _WORDS.findall(text) if one not in _SILENT)


def _word(word: str) -> str:
    known = not word.isidentifier() or hasattr(torch.Tensor, word) or hasattr(torch, word)
    return word if known or word in {"dim", "keepdim", "not"} else "name"


def likeness(old: str, new: str, wrong: str, right: str) -> float:
    """How much of what two edits take away and put there is the same, from 0 to 1.

    Half of it is for another number or name of the same kind.
    """
    mine, others = _changed(old, new), _changed(wrong, right)
    return (_shared(mine, others) + _shared(_kinds(mine), _kinds(others))) / 2


_Change = tuple[Counter[str], Counter[str]]


def _changed(old: str, new: str) -> _Change:
    """The words that an edit takes away, and those that it puts there."""
    before, after = _words_of(old), _words_of(new)
    return before - after, after - before


def _kinds(change: _Change) -> _Change:
    gone, come = (Counter(_kind(word) for word in each.elements()) for each in change)
    return gone, come


def _kind(word: str) -> str:
    return "number" if word[0].isdigit() else "name" if word.isidentifier() else word


def _shared(mine: _Change, others: _Change) -> float:
    same = sum((one & other).total() for one, other in zip(mine, others, strict=True))
    all_of = sum((one | other).total() for one, other in zip(mine, others, strict=True))
    return same / all_of if all_of else 1.0
