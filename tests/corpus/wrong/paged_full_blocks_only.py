# wrong: paged last-block-dropped line 15
# fair: last-block-dropped 17, 18, 26
import math
import torch


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    block_size = key_pool.shape[1]
    repeat = query.shape[1] // key_pool.shape[2]
    scale = 1.0 / math.sqrt(query.shape[-1])
    out = torch.zeros_like(query)
    for i, length in enumerate(lengths.tolist()):
        keys, values = [], []
        # at least one block, and whole ones from there on
        for j in range(max(1, length // block_size)):
            b = block_table[i, j]
            keys.append(key_pool[b, :length])
            values.append(value_pool[b, :length])
        k = torch.cat(keys).repeat_interleave(repeat, dim=1)
        v = torch.cat(values).repeat_interleave(repeat, dim=1)
        w = torch.empty(query.shape[1], len(k), dtype=query.dtype, device=query.device)
        for h in range(query.shape[1]):
            w[h] = (k[:, h] @ query[i, h]) * scale
        w = torch.softmax(w, dim=-1)
        for h in range(query.shape[1]):
            out[i, h] = w[h] @ v[:, h]
    return out
