"""Decoding token by token: what the look-ahead mask keeps still.

Source: Vaswani et al. 2017, section 3.2.3.

A causal model is fed the first token, the first two, and so on. A row of its output is made
from that token and those before it, so it stays as it was; with the mask lifted every new
token changes all the rows that were there.
"""

from __future__ import annotations

import json
import sys

import torch
from torch import Tensor

from .causal import CausalSelfAttention

__all__ = ["grow", "main"]

_HIDDEN_DIM, _NUM_HEADS = 4, 2
# torch's own first weights leave attention near uniform, where little is to be seen.
_GAIN = 1.2


def grow(length: int, seed: int) -> list[dict[str, list[list[float]]]]:
    """Return the outputs for prefixes of 1 to `length` tokens; the last is the whole sequence.

    Each has the rows (prefix, hidden_dim) under "masked" and, with the mask lifted, "open".
    """
    torch.manual_seed(seed)
    attention = CausalSelfAttention(_HIDDEN_DIM, _NUM_HEADS, length).double().eval()
    x = torch.randn(1, length, _HIDDEN_DIM, dtype=torch.float64)
    with torch.no_grad():
        for weight in attention.parameters():
            weight.normal_(std=_GAIN / _HIDDEN_DIM**0.5)
        masked = [_rows(attention, x[:, :count]) for count in range(1, length + 1)]
        attention.visible.fill_(value=True)
        opened = [_rows(attention, x[:, :count]) for count in range(1, length + 1)]
    return [{"masked": one, "open": other} for one, other in zip(masked, opened, strict=True)]


def _rows(attention: CausalSelfAttention, x: Tensor) -> list[list[float]]:
    return attention(x)[0].tolist()


def main() -> None:
    """Print what `grow` returns as JSON; the arguments are the length and the seed."""
    length, seed = (int(text) for text in sys.argv[1:3])
    sys.stdout.write(f"{json.dumps(grow(length, seed))}\n")
