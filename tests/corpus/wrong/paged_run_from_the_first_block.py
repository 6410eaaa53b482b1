# wrong: paged table-ignored line 15
import math
import torch


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    group = query.shape[1] // key_pool.shape[2]
    size = key_pool.shape[1]
    flat_k = key_pool.flatten(0, 1)
    flat_v = value_pool.flatten(0, 1)
    out = []
    for q, row, n in zip(query, block_table, lengths):
        # where the sequence begins in the pool
        start = row[0] * size
        keys = flat_k[start:start + n].repeat_interleave(group, 1)
        vals = flat_v[start:start + n].repeat_interleave(group, 1)
        logits = (keys * q).sum(-1) / math.sqrt(q.shape[-1])
        probs = logits.softmax(0)
        out.append((probs[..., None] * vals).sum(0))
    return torch.stack(out)
