# attn-kata: sdpa
from __future__ import annotations

import math

import torch
from torch import Tensor


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    dim = value.shape[-1]
    att = query @ key.mT / math.sqrt(dim)
    if mask is not None:
        att = att.masked_fill(mask == 0, -math.inf)
    if causal:
        m, n = att.shape[-2:]
        att = att.masked_fill(torch.ones(m, n, dtype=torch.bool, device=att.device).triu(n - m + 1), -math.inf)
    return att.softmax(-1) @ value
