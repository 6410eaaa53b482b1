"""What a slip of the pen may have made of the letters of an einsum, or the words of einops."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..expressions import name_of
from .said import Said

__all__ = ["respelt"]

# How a call may be right, with what that costs.
_Respelt = Iterator[tuple[str, int]]
# Calls of einops that are told how axes lie by words.
_BY_WORDS = {"rearrange", "reduce", "repeat"}


def respelt(node: ast.Call, said: Said) -> _Respelt:
    """How a call may be right that is told by letters, or words, how axes lie."""
    yield from _lettered(node, said)
    yield from _worded(node, said)


def _lettered(node: ast.Call, said: Said) -> _Respelt:
    """What an einsum says, two letters of one operand in each other's place."""
    match node.args:
        case [ast.Constant(value=str(told)) as first, *_] if name_of(node.func) == "einsum":
            for at in range(len(told) - 1):
                if (pair := told[at : at + 2]).isalpha():
                    new = repr(told[:at] + pair[::-1] + told[at + 2 :])
                    yield said.replaced(node, [(first, new)]), 1
            for new in _shared(told):
                yield said.replaced(node, [(first, repr(new))]), 1
        case _:
            return


def _shared(told: str) -> Iterator[str]:
    """An einsum's letters where one stands nowhere else, and is summed by itself: shared then."""
    letters = {one for one in told if one.isalpha()}
    ends = [*(at for at, one in enumerate(told) if not one.isalpha()), len(told)]
    for alone in sorted(one for one in letters if told.count(one) == 1):
        at = told.index(alone)
        yield from (told.replace(alone, other) for other in sorted(letters - {alone}))
        # Or what another operand has in its place: not one of its own.
        own = range(max([e for e in ends if e < at], default=-1), min(e for e in ends if e > at))
        for other, letter in enumerate(told):
            if letter.isalpha() and other not in own:
                yield told[:other] + alone + told[other + 1 :]


def _worded(node: ast.Call, said: Said) -> _Respelt:
    """What einops is told, two words that stand side by side in each other's place."""
    for given in node.args if name_of(node.func) in _BY_WORDS else ():
        if isinstance(given, ast.Constant) and isinstance(given.value, str):
            told = given.value
            for pair in re.finditer(r"\b(?=(\w+)( +)(\w+))", told):
                turned = pair[3] + pair[2] + pair[1]
                new = told[: pair.start(1)] + turned + told[pair.end(3) :]
                yield said.replaced(node, [(given, repr(new))]), 1
