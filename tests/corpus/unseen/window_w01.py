# attn-kata: window
from __future__ import annotations

import math

import torch
from torch import Tensor


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    length = query.size(2)
    scores = query @ key.transpose(2, 3) / math.sqrt(query.size(3))
    if window >= length:
        # the window reaches everything: no band to build
        return scores.softmax(dim=-1) @ value
    full = torch.ones(length, length, dtype=torch.bool, device=query.device)
    band = full.tril() & full.triu(1 - window)
    return scores.masked_fill(~band, float("-inf")).softmax(dim=-1) @ value
