from __future__ import annotations

import torch
from torch import Tensor


def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    """Each tile is finished by itself; finished tiles are mixed by their log-sum-exp."""
    wide = torch.float64 if query.dtype == torch.float64 else torch.float32
    length, width = query.shape[2:]
    q = query.to(wide) * width**-0.5
    mixed = torch.zeros_like(q)
    lse = q.new_full((*q.shape[:3], 1), float("-inf"))

    start = 0
    for k, v in zip(key.split(block_size, dim=2), value.split(block_size, dim=2)):
        first = start if causal else 0  # queries before the tile see nothing of it
        s = q[:, :, first:] @ k.to(wide).mT
        if causal:
            s.masked_fill_(torch.ones_like(s[0, 0], dtype=torch.bool).triu_(1), float("-inf"))
        tile_lse = s.logsumexp(-1, keepdim=True)
        tile_out = s.softmax(-1) @ v.to(wide)

        old = lse[:, :, first:]
        new = torch.logaddexp(old, tile_lse)
        mixed[:, :, first:] = (old - new).exp() * mixed[:, :, first:] + (tile_lse - new).exp() * tile_out
        lse[:, :, first:] = new
        start += k.shape[2]
    return mixed.to(query.dtype)
