# tiled over the queries, so that only a strip of the scores is alive at a time
from __future__ import annotations

import math

import torch
from torch import Tensor

TILE = 128


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    batch, heads, m, d = query.shape
    n = key.shape[2]
    cols = torch.arange(n, device=query.device)
    if mask is not None:
        mask = mask.expand(batch, heads, m, n)

    strips = []
    for start in range(0, m, TILE):
        q = query[:, :, start : start + TILE]
        s = torch.matmul(q, key.transpose(2, 3)) / math.sqrt(d)
        if causal:
            rows = torch.arange(q.shape[2], device=query.device) + (n - m)
            s = s.masked_fill(cols[None, :] > rows[:, None], float("-inf"))
        if mask is not None:
            s = s.masked_fill(mask[:, :, start : start + TILE] == 0, float("-inf"))
        strips.append(torch.matmul(torch.softmax(s, dim=-1), value))
    return torch.cat(strips, dim=2)
