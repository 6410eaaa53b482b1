# attn-kata: tree-mask
from __future__ import annotations

import math

import torch
from torch import Tensor


def parents_of(back: Tensor) -> Tensor:
    index = torch.arange(back.shape[0], device=back.device)
    return (index - back).clamp(min=0)


def tree_mask(back: Tensor) -> Tensor:
    drafted = back.shape[0]
    parents = parents_of(back).tolist()
    mask = torch.eye(drafted, dtype=torch.bool, device=back.device)
    for i in range(1, drafted):
        mask[i] |= mask[parents[i]]
    return mask


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    drafted, head_dim = query.shape[-2:]
    prefix = key.shape[-2] - drafted
    visible = torch.cat(
        [torch.ones(drafted, prefix, dtype=torch.bool, device=query.device), tree_mask(back)], dim=-1
    )
    wide = torch.promote_types(query.dtype, torch.float32)
    scores = torch.einsum("bhid,bhjd->bhij", query.to(wide), key.to(wide)) / math.sqrt(head_dim)
    weights = scores.masked_fill(~visible, float("-inf")).softmax(dim=-1)
    return torch.einsum("bhij,bhjd->bhid", weights, value.to(wide)).to(query.dtype)
