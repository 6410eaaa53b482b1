import math

import torch


def slopes(heads):
    def pow2(n):
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        return [start * start**i for i in range(n)]

    base = 2 ** math.floor(math.log2(heads))
    every = pow2(base)
    if base != heads:
        every = every + pow2(2 * base)[0::2][: heads - base]
    # steepest head first, as for powers of two
    return torch.tensor(sorted(every, reverse=True))


def bias(heads, query_length, key_length):
    pos_q = torch.arange(key_length)[-query_length:]
    pos_k = torch.arange(key_length)
    rel = pos_k.unsqueeze(0) - pos_q.unsqueeze(1)
    out = torch.einsum("h,qk->hqk", slopes(heads), rel.float())
    return torch.where(rel > 0, -math.inf, out)


def attention(query, key, value):
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key) * query.shape[-1] ** -0.5
    alibi = bias(query.shape[1], query.shape[2], key.shape[2])
    attn = torch.softmax(scores + alibi.to(scores), dim=-1)
    return torch.einsum("bhqk,bhkv->bhqv", attn, value)
