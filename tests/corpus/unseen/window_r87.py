from __future__ import annotations

import math

import torch
from torch import Tensor


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    """Some queries at a time, against the keys that any of them may see."""
    batch, heads, length, head_dim = query.shape
    wide = torch.promote_types(query.dtype, torch.float32)
    step = min(max(window, 16), 128)

    pieces = []
    for lo in range(0, length, step):
        hi = min(lo + step, length)
        first = max(lo - window + 1, 0)
        q = query[:, :, lo:hi].to(wide)
        k = key[:, :, first:hi].to(wide)
        v = value[:, :, first:hi].to(wide)

        i = torch.arange(lo, hi, device=query.device).unsqueeze(1)
        j = torch.arange(first, hi, device=query.device).unsqueeze(0)
        age = i - j
        scores = torch.einsum("bhqd,bhkd->bhqk", q, k) / math.sqrt(head_dim)
        scores = scores.masked_fill((age < 0) | (age >= window), -math.inf)
        pieces.append(torch.einsum("bhqk,bhkd->bhqd", scores.softmax(-1), v))
    return torch.cat(pieces, dim=2).to(query.dtype)
