# blocks of `window` queries look at their own block and the one before
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    length, dim = query.shape[-2:]
    size = min(window, length)
    extra = -length % size
    if extra:
        query, key, value = (F.pad(t, (0, 0, 0, extra)) for t in (query, key, value))
    # (batch, heads, blocks, size, dim)
    q, k, v = (t.unflatten(2, (-1, size)) for t in (query, key, value))
    blocks = q.shape[2]
    k = torch.cat([k.roll(1, dims=2), k], dim=3)
    v = torch.cat([v.roll(1, dims=2), v], dim=3)

    scores = torch.matmul(q, k.mT) * dim**-0.5
    row = torch.arange(size, device=query.device).unsqueeze(1) + size
    col = torch.arange(2 * size, device=query.device).unsqueeze(0)
    seen = (col <= row) & (col > row - size)
    seen = seen.expand(blocks, size, 2 * size)
    scores = scores.masked_fill(seen.logical_not(), float("-inf"))
    out = torch.matmul(scores.softmax(dim=-1), v).flatten(2, 3)
    return out[:, :, :length]
