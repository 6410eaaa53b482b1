from __future__ import annotations

import math

import torch
from torch import Tensor


def flash_attention(query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False) -> Tensor:
    """Running (output, log-sum-exp) instead of (output, maximum, sum): each tile is a finished attention."""
    length, head_dim = query.shape[-2:]
    wide = torch.float64   # log-sum-exps of large scores want the digits
    q = query.to(wide) * head_dim**-0.5

    out = torch.zeros_like(q)
    lse = torch.full(q.shape[:-1], -math.inf, dtype=wide, device=q.device)
    for start in range(0, length, block_size):
        k, v = (t[..., start : start + block_size, :].to(wide) for t in (key, value))
        first = start if causal else 0                     # earlier queries see nothing of this tile
        scores = q[..., first:, :] @ k.transpose(-1, -2)
        if causal:
            ahead = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).triu(1)
            scores = scores.masked_fill(ahead, -math.inf)
        tile_lse = scores.logsumexp(-1)
        tile_out = torch.exp(scores - tile_lse.unsqueeze(-1)) @ v

        old_lse = lse[..., first:]
        new_lse = torch.logaddexp(old_lse, tile_lse)
        keep = torch.exp(old_lse - new_lse).unsqueeze(-1)
        take = torch.exp(tile_lse - new_lse).unsqueeze(-1)
        out[..., first:, :] = keep * out[..., first:, :] + take * tile_out
        lse[..., first:] = new_lse
    return out.to(query.dtype)
