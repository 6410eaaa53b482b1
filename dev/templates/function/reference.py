"""TO WRITE: what it computes, and the paper it is from."""

from __future__ import annotations

import math

from torch import Tensor


def kata_name(x: Tensor) -> Tensor:
    """TO WRITE: what it does.

    x is (batch, length, depth), any float dtype; returns the same shape and dtype.
    """
    depth = x.shape[-1]
    scaled = x / math.sqrt(depth)  # (batch, length, depth)
    # TO WRITE: the steps, one a line, no name bound twice
    output = scaled.tanh()  # (batch, length, depth)
    return output
