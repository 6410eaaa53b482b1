from __future__ import annotations

import math

import torch
from torch import Tensor


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    length, head_dim = query.shape[-2:]
    i = torch.arange(length, device=query.device).unsqueeze(1)
    j = torch.arange(length, device=query.device).unsqueeze(0)
    visible = (j <= i) and (j > i - window)

    scores = query @ key.transpose(-2, -1) / math.sqrt(head_dim)
    scores = scores.masked_fill(~visible, float("-inf"))
    return torch.softmax(scores, dim=-1) @ value
