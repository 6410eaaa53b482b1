from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

CHUNK = 128


def _blocked(t: Tensor, c: int) -> Tensor:
    pad = -t.shape[-2] % c
    return F.pad(t, (0, 0, 0, pad)).unflatten(-2, (-1, c))


def _with_previous(t: Tensor) -> Tensor:
    """(b, h, n, c, d) -> (b, h, n, 2c, d): each block behind the one to its left."""
    left = F.pad(t, (0, 0, 0, 0, 1, 0))[:, :, :-1]
    return torch.cat([left, t], dim=-2)


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    """Local attention in blocks, Longformer style: length x 2*CHUNK scores, not length^2."""
    length, d = query.shape[-2:]
    c = min(CHUNK, length)
    q = _blocked(query, c)
    k, v = _with_previous(_blocked(key, c)), _with_previous(_blocked(value, c))

    n = q.shape[2]
    i = torch.arange(n * c, device=query.device).view(n, c, 1)
    j = torch.arange(-c, c, device=query.device) + c * torch.arange(
        n, device=query.device
    ).view(n, 1, 1)
    band = (j >= 0) & (j <= i) & (i - j < window)

    s = torch.einsum("bhncd,bhnkd->bhnck", q, k) / d**0.5
    p = s.masked_fill(~band, -torch.inf).softmax(-1)
    out = torch.einsum("bhnck,bhnkd->bhncd", p, v)
    return out.flatten(2, 3)[:, :, :length]
