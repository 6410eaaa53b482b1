# right: paged
import math

import torch


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    num_seqs, num_heads, head_dim = query.shape
    _, block_size, num_kv_heads, _ = key_pool.shape
    queries_per_kv = num_heads // num_kv_heads
    outputs = []
    for i in range(num_seqs):
        context_len = int(lengths[i])
        keys, values = [], []
        for j in range(context_len):
            block_number = int(block_table[i, j // block_size])
            block_offset = j % block_size
            keys.append(key_pool[block_number, block_offset])
            values.append(value_pool[block_number, block_offset])
        keys = torch.stack(keys)
        values = torch.stack(values)
        if queries_per_kv > 1:
            keys = torch.repeat_interleave(keys, queries_per_kv, dim=1)
            values = torch.repeat_interleave(values, queries_per_kv, dim=1)
        weights = torch.einsum("hd,khd->hk", query[i], keys) / math.sqrt(head_dim)
        weights = torch.softmax(weights, dim=-1)
        outputs.append(torch.einsum("hk,khd->hd", weights, values))
    return torch.stack(outputs)
