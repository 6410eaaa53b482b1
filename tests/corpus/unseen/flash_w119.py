from __future__ import annotations

import torch
from torch import Tensor


def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    *lead, n, d = query.shape
    scale = d ** -0.5
    acc_dtype = torch.float32 if query.element_size() == 2 else query.dtype
    q_tile = max(block_size, 32)

    def tiles(x: Tensor, size: int):
        start = 0
        for piece in x.split(size, dim=-2):
            yield start, piece.to(acc_dtype)
            start += piece.shape[-2]

    def visible(i0: int, rows: int, j0: int, cols: int) -> Tensor:
        i = torch.arange(rows, device=query.device) + i0
        j = torch.arange(cols, device=query.device)
        return i[:, None] >= j[None, :]

    out = torch.empty(query.shape, dtype=query.dtype, device=query.device)
    for i0, q in tiles(query, q_tile):
        rows = q.shape[-2]
        hi = torch.full((*lead, rows, 1), float("-inf"), dtype=acc_dtype, device=query.device)
        den = torch.zeros_like(hi)
        num = torch.zeros_like(q)
        for (j0, k), (_, v) in zip(tiles(key, block_size), tiles(value, block_size)):
            if causal and j0 >= i0 + rows:
                break
            cols = k.shape[-2]
            s = (q * scale) @ k.mT
            if causal:
                s = s.masked_fill(~visible(i0, rows, j0, cols), float("-inf"))
            new_hi = torch.maximum(hi, s.amax(dim=-1, keepdim=True))
            p = torch.exp(s - new_hi)
            alpha = torch.exp(hi - new_hi)
            den = den.mul(alpha).add(p.sum(dim=-1, keepdim=True))
            num = num.mul(alpha).add(p @ v)
            hi = new_hi
        out[..., i0 : i0 + rows, :] = (num / den).to(query.dtype)
    return out
