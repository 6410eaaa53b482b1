# wrong: sdpa mask-or-causal line 19
from __future__ import annotations

import math

import torch
from torch import Tensor


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    q_len, k_len = query.size(-2), key.size(-2)
    scores = query @ key.transpose(-2, -1)
    scores = scores / math.sqrt(query.size(-1))
    allowed = None
    if mask is not None:
        allowed = mask.bool()
    elif causal:
        allowed = torch.ones(q_len, k_len, dtype=torch.bool, device=query.device).tril(k_len - q_len)
    if allowed is not None:
        scores = scores.masked_fill(~allowed, float("-inf"))
    return torch.softmax(scores, dim=-1) @ value
