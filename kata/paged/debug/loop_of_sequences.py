import math

import torch


def paged_attention(query, key_cache, value_cache, block_tables, seq_lens):
    block_size = key_cache.shape[1]
    group = query.shape[1] // key_cache.shape[2]
    out = torch.empty_like(query)
    for i in range(len(query)):
        n = int(seq_lens[i])
        used = (n + block_size - 1) // block_size
        table = block_tables[i, :used]
        k = key_cache[table].flatten(0, 1)[:n]
        v = value_cache[table].flatten(0, 1)[:n]
        k = k.repeat_interleave(group, dim=1).transpose(0, 1)
        v = v.repeat_interleave(group, dim=1).transpose(0, 1)
        q = query[i].unsqueeze(1)
        scores = q @ k.transpose(1, 2) / math.sqrt(query.shape[-1])
        weights = torch.softmax(scores, dim=-1)
        out[i] = (weights @ v).squeeze(1)
    return out
