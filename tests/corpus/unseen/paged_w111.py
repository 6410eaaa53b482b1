import torch
from torch import einsum


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    b, h, d = query.shape
    _, size, kv, _ = key_pool.shape
    n = block_table.shape[1] * size

    # one gather for the whole batch: token -> (block, place)
    t = torch.arange(n, device=query.device)
    block = block_table.long()[:, t // size]
    k = key_pool[block, t % size]  # b n kv d
    v = value_pool[block, t % size]

    q = query.view(b, h // kv, kv, d) * d**-0.5
    scores = einsum("bgkd,bnkd->bgkn", q, k)
    scores = scores.masked_fill((t >= lengths[:, None])[:, None, None], float("-inf"))
    out = einsum("bgkn,bnkd->bgkd", scores.softmax(-1), v)
    return out.reshape(b, h, d)
