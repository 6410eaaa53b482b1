import math

import torch
from torch import Tensor

TILE_N = 128


def _num_tiles(n: int) -> int:
    return max(1, n // TILE_N)


def attention(query: Tensor, key: Tensor, value: Tensor, mask=None, causal: bool = False) -> Tensor:
    """Two passes over key tiles: first the row statistics, then the product with V."""
    M, N = query.size(-2), key.size(-2)
    acc_t = torch.promote_types(query.dtype, torch.float32)
    scale = 1.0 / math.sqrt(query.size(-1))

    visible = torch.ones(M, N, dtype=torch.bool, device=query.device)
    if causal:
        visible = visible.tril(diagonal=N - M)
    if mask is not None:
        visible = visible & (mask != 0)

    tiles = []
    for t in range(_num_tiles(N)):
        sl = slice(t * TILE_N, min((t + 1) * TILE_N, N))
        s = query.to(acc_t) @ key[..., sl, :].to(acc_t).mT * scale
        s = s.masked_fill(~visible[..., sl], torch.finfo(acc_t).min)
        tiles.append((sl, s))

    row_max = torch.stack([s.amax(-1) for _, s in tiles]).amax(0).unsqueeze(-1).detach()
    row_sum = sum(torch.exp(s - row_max).sum(-1, keepdim=True) for _, s in tiles)
    out = sum(torch.exp(s - row_max) @ value[..., sl, :].to(acc_t) for sl, s in tiles)
    return (out / row_sum).to(query.dtype)
