from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor


def _with_previous(blocks: Tensor) -> Tensor:
    """(…, blocks, w, d) to (…, blocks, 2w, d): each block behind the one before it."""
    before = torch.roll(blocks, shifts=1, dims=-3)
    return torch.cat((before, blocks), dim=-2)


def _band(w: int, device: torch.device) -> Tensor:
    q = torch.arange(w, device=device).unsqueeze(1) + w
    k = torch.arange(2 * w, device=device)
    return (k <= q) & (k > q - w)


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    length, head_dim = query.shape[-2:]
    w = min(window, length)
    extra = -length % w
    q, k, v = (F.pad(t, (0, 0, 0, extra)).unflatten(2, (-1, w)) for t in (query, key, value))
    k, v = _with_previous(k), _with_previous(v)
    scores = torch.einsum("bhnid,bhnjd->bhnij", q, k) / math.sqrt(head_dim)
    scores = scores.masked_fill(~_band(w, q.device), -math.inf)
    out = torch.einsum("bhnij,bhnjd->bhnid", scores.softmax(-1), v)
    return out.flatten(2, 3)[:, :, :length]
