# wrong: paged slot-dealt-out line 14
from math import sqrt

import torch


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    n, h, d = query.shape
    _, p, g, _ = key_pool.shape
    m = block_table.shape[1]

    def laid_out(pool):
        found = pool[block_table]                       # n m p g d
        return found.transpose(1, 2).reshape(n, p * m, g, d)

    keys, values = laid_out(key_pool), laid_out(value_pool)
    q = query.view(n, g, h // g, d)
    scores = torch.einsum("ngrd,ntgd->ngrt", q, keys) / sqrt(d)
    behind = torch.arange(p * m, device=query.device)[None, :] >= lengths[:, None]
    scores = scores.masked_fill(behind[:, None, None, :], -torch.inf)
    return torch.einsum("ngrt,ntgd->ngrd", scores.softmax(-1), values).reshape(n, h, d)
