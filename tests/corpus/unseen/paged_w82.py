import math

import torch
from torch import Tensor


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    batch, heads, head_dim = query.shape
    block_size, kv_heads = key_pool.shape[1:3]
    table = block_table.tolist()
    context = torch.empty_like(query)
    for b, length in enumerate(lengths.tolist()):
        used = length // block_size + 1
        blocks = [table[b][i] for i in range(used)]
        key = key_pool[blocks].flatten(0, 1)[:length]          # (length, kv_heads, head_dim)
        value = value_pool[blocks].flatten(0, 1)[:length]
        q = query[b].view(kv_heads, heads // kv_heads, head_dim)
        scores = torch.einsum("grd,tgd->grt", q, key) / math.sqrt(head_dim)
        rows = torch.einsum("grt,tgd->grd", scores.softmax(dim=-1), value)
        context[b] = rows.reshape(heads, head_dim)
    return context
