import math
from functools import reduce
from itertools import takewhile, count

import torch


def wide(t):
    return t.to(torch.promote_types(t.dtype, torch.float32))


def fold_block(q, scale):
    def fold(carry, kv):
        top, total, acc = carry
        k, v = kv
        s = torch.einsum("kgd,tkd->kgt", q, k) * scale
        new_top = torch.maximum(top, s.max(-1, keepdim=True).values)
        fade = torch.exp(top - new_top)
        p = torch.exp(s - new_top)
        total = total * fade + p.sum(-1, keepdim=True)
        acc = acc + torch.einsum("kgt,tkd->kgd", p, v)
        return new_top, total, acc
    return fold


def blocks_of(pool_k, pool_v, table, n):
    size = pool_k.shape[1]
    starts = takewhile(lambda t: t < n, count(0, size))
    for t in starts:
        page = int(table[t // size])
        stop = min(size, n - t)
        yield wide(pool_k[page, :stop]), wide(pool_v[page, :stop])


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    kv_heads = key_pool.shape[2]
    scale = 1 / math.sqrt(query.shape[-1])

    def decode(b):
        q = wide(query[b]).reshape(kv_heads, -1, query.shape[-1])
        shape = q.shape[:2] + (1,)
        init = (q.new_full(shape, -math.inf), q.new_zeros(shape), torch.zeros_like(q))
        pages = blocks_of(key_pool, value_pool, block_table[b], int(lengths[b]))
        _, total, acc = reduce(fold_block(q, scale), pages, init)
        return (acc / total).reshape(query.shape[1:])

    return torch.stack([decode(b) for b in range(query.shape[0])]).to(query.dtype)
