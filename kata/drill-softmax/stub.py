# attn-kata: drill-softmax
from __future__ import annotations

import torch
from torch import Tensor


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    """Turn x, (batch, length, classes), into shares that add up to 1 along dim."""
    raise NotImplementedError("write me")


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    """Return log(sum(exp(x))) along dim; that axis is gone from the result."""
    raise NotImplementedError("write me")


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis of the scores that the mask shows.

    scores   (batch, heads, query_length, key_length), any float dtype
    mask     broadcasts to scores: 1 or True where a score counts, 0 or False where not;
             bool, integer or float
    returns  the shape of scores; a row in which nothing counts is all 0, its gradients too
    """
    raise NotImplementedError("write me")
