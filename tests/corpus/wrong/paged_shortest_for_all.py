# wrong: paged lengths-from-first line 10
import math

import torch


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    heads, width = query.shape[1:]
    size, shared = key_pool.shape[1:3]
    reach = lengths.min()
    rows = []
    for q, table, length in zip(query, block_table, lengths, strict=True):
        places = torch.arange(min(int(length), int(reach)), device=query.device)
        keys = key_pool[table[places // size], places % size]
        values = value_pool[table[places // size], places % size]
        q = q.view(shared, heads // shared, width)
        scores = torch.einsum("grd,tgd->grt", q, keys) / math.sqrt(width)
        rows.append(torch.einsum("grt,tgd->grd", scores.softmax(-1), values).flatten(0, 1))
    return torch.stack(rows)
