from __future__ import annotations

import torch
from torch import Tensor


def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    batch, heads, length, head_dim = query.shape
    query = query * head_dim ** -0.5
    neg = torch.finfo(query.dtype).min

    row_max = query.new_full((batch, heads, length, 1), neg)
    row_sum = query.new_zeros((batch, heads, length, 1))
    acc = torch.zeros_like(query)
    q_pos = torch.arange(length, device=query.device).unsqueeze(-1)

    for k_blk, v_blk in zip(key.split(block_size, dim=2), value.split(block_size, dim=2)):
        scores = torch.einsum("bhqd,bhkd->bhqk", query, k_blk)
        if causal:
            k_pos = torch.arange(k_blk.size(2), device=query.device)
            scores = scores.masked_fill(k_pos > q_pos, neg)
        new_max = torch.maximum(row_max, scores.amax(dim=-1, keepdim=True))
        p = torch.exp(scores - new_max)
        corr = torch.exp(row_max - new_max)
        row_sum = row_sum * corr + p.sum(dim=-1, keepdim=True)
        acc = acc * corr + torch.einsum("bhqk,bhkd->bhqd", p, v_blk)
        row_max = new_max
    return acc / row_sum
