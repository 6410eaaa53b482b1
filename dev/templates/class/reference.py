"""TO WRITE: what it computes, and the paper it is from."""

from __future__ import annotations

import math

from torch import Tensor, nn


class KataName(nn.Module):
    """TO WRITE: what it does.

    x is (batch, length, depth), any float dtype; returns the same shape and dtype.
    """

    def __init__(self, depth: int) -> None:
        super().__init__()
        self.proj = nn.Linear(depth, depth)

    def forward(self, x: Tensor) -> Tensor:
        depth = x.shape[-1]
        projected = self.proj(x)  # (batch, length, depth)
        scaled = projected / math.sqrt(depth)  # (batch, length, depth)
        # TO WRITE: the steps, one a line, no name bound twice
        output = scaled.tanh()  # (batch, length, depth)
        return output
