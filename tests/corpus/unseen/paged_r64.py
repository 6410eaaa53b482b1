import math
from functools import reduce

import torch


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    size, kv = key_pool.shape[1:3]
    wide = torch.promote_types(query.dtype, torch.float32)

    def step(q, state, page):
        """One block into the running (maximum, denominator, numerator)."""
        m, z, acc = state
        block, used = page
        k, v = (pool[block, :used].to(wide) for pool in (key_pool, value_pool))
        s = torch.einsum("ngd,tnd->ngt", q, k) / math.sqrt(q.shape[-1])
        new = torch.maximum(m, s.amax(-1))
        e = torch.exp(s - new[..., None])
        shrink = torch.exp(m - new)
        return new, z * shrink + e.sum(-1), acc * shrink[..., None] + torch.einsum("ngt,tnd->ngd", e, v)

    def pages(table, length):
        return [(table[i], min(size, length - i * size)) for i in range(-(-length // size))]

    def one(q, table, length):
        q = q.unflatten(0, (kv, -1)).to(wide)
        start = (q.new_full(q.shape[:2], -math.inf), q.new_zeros(q.shape[:2]), torch.zeros_like(q))
        _, z, acc = reduce(lambda st, pg: step(q, st, pg), pages(table, length), start)
        return (acc / z[..., None]).flatten(0, 1)

    rows = map(one, query, block_table.tolist(), lengths.tolist())
    return torch.stack(list(rows)).to(query.dtype)
