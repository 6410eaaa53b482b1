from __future__ import annotations

import torch
from torch import Tensor


def gather_tokens(pool: Tensor, blocks: Tensor, n: int) -> Tensor:
    return pool[blocks].flatten(0, 1)[:n]


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    block_size = key_pool.size(1)
    n_rep = query.size(1) // key_pool.size(2)
    scale = query.size(-1) ** -0.5
    output = torch.empty_like(query)
    for b in range(query.size(0)):
        n = int(lengths[b])
        needed = (n + block_size - 1) // block_size
        blocks = block_table[b, :needed].long()
        k = gather_tokens(key_pool, blocks, n).repeat(1, n_rep, 1)
        v = gather_tokens(value_pool, blocks, n).repeat(1, n_rep, 1)
        attn = torch.einsum("hd,nhd->hn", query[b], k) * scale
        output[b] = torch.einsum("hn,nhd->hd", attn.softmax(dim=-1), v)
    return output
