from __future__ import annotations

import torch
from torch import Tensor


def tree_mask(back: Tensor) -> Tensor:
    n = back.numel()
    parent = torch.arange(n, device=back.device) - back
    visible = torch.eye(n, dtype=torch.bool, device=back.device)
    for i in range(n):
        visible[i] |= visible[parent[i]]
    return visible


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    drafted, dim = query.shape[-2:]
    context = key.size(-2) - drafted
    to_prefix = torch.ones(drafted, context, dtype=torch.bool, device=query.device)
    allowed = torch.cat([to_prefix, tree_mask(back)], dim=-1)
    attn = torch.einsum("bhqd,bhkd->bhqk", query, key) * dim**-0.5
    attn = torch.where(allowed, attn, torch.finfo(attn.dtype).min)
    return torch.einsum("bhqk,bhkd->bhqd", attn.softmax(dim=-1), value)
