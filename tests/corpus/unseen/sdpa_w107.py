from __future__ import annotations

import torch
from torch import Tensor, einsum


def exists(val):
    return val is not None


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False) -> Tensor:
    i, j, device = query.shape[-2], key.shape[-2], query.device
    scale = query.shape[-1] ** -0.5

    sim = einsum('b h i d, b h j d -> b h i j', query * scale, key)

    if exists(mask):
        if mask.is_floating_point():
            sim = sim + mask.to(sim.dtype)
        else:
            sim = sim.masked_fill(mask.bool().logical_not(), -torch.inf)

    if causal:
        range_i = torch.arange(j - i, j, device = device)
        range_j = torch.arange(j, device = device)
        sim = sim.masked_fill(range_i[:, None] < range_j[None, :], -torch.inf)

    attn = sim.softmax(dim = -1)
    return einsum('b h i j, b h j d -> b h i d', attn, value)
