import math

import torch
from torch import Tensor


def slopes(heads: int) -> Tensor:
    def rec(n: int) -> list[float]:
        if n & (n - 1) == 0:
            return [2.0 ** (-8.0 * i / n) for i in range(1, n + 1)]
        low = 1 << (n.bit_length() - 1)
        return rec(low) + rec(2 * low)[0::2][: n - low]

    return torch.tensor(rec(heads), dtype=torch.float32)


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    rel = torch.arange(key_length)[None, :] - torch.arange(key_length)[-query_length:, None]
    penalty = slopes(heads)[:, None, None] * rel
    return torch.where(rel > 0, float("-inf"), penalty)


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    batch, heads, tq, width = query.shape
    tk = key.shape[2]
    scale = 1.0 / math.sqrt(width)
    alibi = bias(heads, tq, tk).to(query)
    alibi = alibi.expand(batch, -1, -1, -1).flatten(0, 1)
    scores = torch.baddbmm(
        alibi,
        query.flatten(0, 1),
        key.flatten(0, 1).transpose(1, 2),
        beta=scale,
        alpha=scale,
    )
    out = torch.bmm(scores.softmax(-1), value.flatten(0, 1))
    return out.unflatten(0, (batch, heads))
