from __future__ import annotations

import torch
from torch import Tensor


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    """Blocks of `window` queries; each block needs its own keys and those of the block before."""
    t, d = query.shape[-2:]
    scale = d**-0.5
    blocks = []
    for start in range(0, t, window):
        stop = min(start + window, t)
        first = max(start - window, 0)
        q = query[..., start:stop, :] * scale
        k, v = key[..., first:stop, :], value[..., first:stop, :]
        at = torch.arange(start, stop, device=query.device).unsqueeze(-1)
        j = torch.arange(first, stop, device=query.device)
        logits = torch.einsum("...qd,...kd->...qk", q, k)
        logits = logits.masked_fill(j > at, -torch.inf)
        blocks.append(logits.softmax(dim=-1) @ v)
    return torch.cat(blocks, dim=-2)
