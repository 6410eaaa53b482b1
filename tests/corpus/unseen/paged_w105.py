from __future__ import annotations

import math

import torch
from torch import Tensor


@torch.no_grad()
def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    batch, heads, head_dim = query.shape
    block_size, kv_heads = key_pool.shape[1:3]

    tokens = torch.arange(int(lengths.min()), device=query.device)
    block, slot = tokens // block_size, tokens % block_size
    own = tokens < lengths.to(query.device).unsqueeze(1)
    blocks = block_table[:, block].long()
    key = key_pool[blocks, slot].masked_fill(~own[:, :, None, None], 0.0)
    value = value_pool[blocks, slot].masked_fill(~own[:, :, None, None], 0.0)

    grouped = query.view(batch, kv_heads, heads // kv_heads, head_dim)
    scores = torch.einsum("bkgd,btkd->bkgt", grouped, key) / math.sqrt(head_dim)
    scores = scores.masked_fill(~own[:, None, None, :], -math.inf)
    weights = torch.softmax(scores, dim=-1)
    return torch.einsum("bkgt,btkd->bkgd", weights, value).reshape(batch, heads, head_dim)
