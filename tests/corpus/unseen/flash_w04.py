# attn-kata: flash
from __future__ import annotations

import math

import torch
from torch import Tensor


@torch.no_grad()
def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    *_, length, head_dim = query.shape
    out_dtype = query.dtype
    acc_dtype = torch.promote_types(out_dtype, torch.float32)
    q = query.to(acc_dtype) * head_dim**-0.5
    k, v = key.to(acc_dtype), value.to(acc_dtype)

    if block_size >= length:  # one tile: nothing to merge
        return ((q @ k.mT).softmax(dim=-1) @ v).to(out_dtype)

    lse = out = None
    rows = torch.arange(length, device=q.device).unsqueeze(-1)
    for start in range(0, length, block_size):
        tile = slice(start, start + block_size)
        first = start if causal else 0  # earlier queries see none of these keys
        s = q[..., first:, :] @ k[..., tile, :].mT
        if causal:
            cols = rows[tile].squeeze(-1)
            s = s.masked_fill(cols > rows[first:], -math.inf)
        tile_lse = s.logsumexp(dim=-1, keepdim=True)
        tile_out = (s - tile_lse).exp() @ v[..., tile, :]
        if lse is None:
            lse, out = tile_lse, tile_out
            continue
        both = torch.logaddexp(lse[..., first:, :], tile_lse)
        out[..., first:, :] = (
            out[..., first:, :] * (lse[..., first:, :] - both).exp() + tile_out * (tile_lse - both).exp()
        )
        lse[..., first:, :] = both
    return out.to(out_dtype)
