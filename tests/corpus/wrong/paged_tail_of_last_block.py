# wrong: paged tail-block-seen line 14
import math

import torch


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    batch, heads, head_dim = query.shape
    block_size, kv_heads = key_pool.shape[1], key_pool.shape[2]
    result = []
    for b in range(batch):
        num_blocks = (int(lengths[b]) + block_size - 1) // block_size
        used = block_table[b, :num_blocks]
        k = key_pool[used].reshape(-1, kv_heads, head_dim)
        v = value_pool[used].reshape(-1, kv_heads, head_dim)
        k = k.repeat_interleave(heads // kv_heads, dim=1)
        v = v.repeat_interleave(heads // kv_heads, dim=1)
        scores = torch.einsum("hd,thd->ht", query[b], k) / math.sqrt(head_dim)
        result.append(torch.einsum("ht,thd->hd", scores.softmax(-1), v))
    return torch.stack(result)
