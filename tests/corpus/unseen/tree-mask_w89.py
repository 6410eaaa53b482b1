from __future__ import annotations

import math

import torch
from torch import Tensor


def tree_mask(back: Tensor) -> Tensor:
    n = back.numel()
    parent = (torch.arange(n, device=back.device) - back).clamp(min=0)
    mask = torch.eye(n, dtype=torch.bool, device=back.device)
    for i in range(1, n):
        mask[i] |= mask[parent[i]]
    return mask


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    drafted, head_dim = query.shape[-2:]
    prefix = key.shape[-2] - drafted
    scores = query @ key.transpose(-2, -1) / math.sqrt(head_dim)
    see_prefix = torch.ones(drafted, prefix, dtype=torch.bool, device=query.device)
    allowed = torch.cat([see_prefix, tree_mask(back).to(query.device)], dim=1)
    scores = scores.masked_fill(~allowed, float("-inf"))
    return torch.softmax(scores, dim=-1) @ value
