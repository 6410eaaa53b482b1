# attn-kata: kata-name
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class KataName(nn.Module):
    """TO WRITE: all that the brief says of settings, layers, arguments and results.

    x        (batch, length, depth), any float dtype
    returns  (batch, length, depth)
    """

    def __init__(self, depth: int) -> None:
        super().__init__()
        raise NotImplementedError("write me")

    def forward(self, x: Tensor) -> Tensor:
        raise NotImplementedError("write me")


def kata_name_loss(output: Tensor, wanted: Tensor) -> Tensor:
    """TO WRITE: what it measures. Both are (batch, length, depth); returns a number."""
    raise NotImplementedError("write me")
