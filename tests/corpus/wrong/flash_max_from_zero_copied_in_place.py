# wrong: flash max-from-zero line 23
from __future__ import annotations

import torch
from torch import Tensor, einsum


def exists(v):
    return v is not None


@torch.no_grad()
def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    dtype, device, n = query.dtype, query.device, query.shape[-2]
    if dtype in {torch.half, torch.bfloat16}:
        query, key, value = map(torch.Tensor.float, (query, key, value))
    q = query * query.shape[-1] ** -0.5

    o = torch.zeros_like(q)
    row_sums = torch.zeros((*q.shape[:-1], 1), dtype=q.dtype, device=device)
    row_maxes = torch.zeros((*q.shape[:-1], 1), dtype=q.dtype, device=device)
    seq = torch.arange(n, device=device)

    for ind, (kc, vc) in enumerate(zip(key.split(block_size, dim=-2), value.split(block_size, dim=-2))):
        offset = ind * block_size
        mask = None
        if causal:
            mask = seq[offset : offset + block_size] > seq[:, None]

        attn = einsum("... i d, ... j d -> ... i j", q, kc)
        if exists(mask):
            attn.masked_fill_(mask, -torch.finfo(attn.dtype).max)

        block_maxes = attn.amax(dim=-1, keepdim=True)
        new_maxes = torch.maximum(block_maxes, row_maxes)
        exp_weights = (attn - new_maxes).exp()
        diff = (row_maxes - new_maxes).exp()

        row_sums.mul_(diff).add_(exp_weights.sum(dim=-1, keepdim=True))
        o.mul_(diff).add_(einsum("... i j, ... j d -> ... i d", exp_weights, vc))
        row_maxes.copy_(new_maxes)

    return o.div_(row_sums).to(dtype)
