# attn-kata: sdpa
from __future__ import annotations

import torch
from torch import Tensor


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    m, n = query.shape[2], key.shape[2]
    keep = None if mask is None else mask.bool()
    if causal:
        last = torch.arange(n - m, n, device=key.device)
        lower = torch.arange(n, device=key.device) <= last[:, None]
        keep = lower if keep is None else keep | lower
    s = torch.matmul(query * query.shape[3] ** -0.5, key.transpose(2, 3))
    if keep is not None:
        s.masked_fill_(~keep, float("-inf"))
    s = torch.softmax(s, dim=3)
    return torch.matmul(s, value)
