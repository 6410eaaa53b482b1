from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def _bands(t: Tensor, w: int) -> Tensor:
    """(b, h, n, d) -> (b, h, n, d, w): row i holds positions i-w+1 .. i, oldest first.

    unfold is a view, so the band costs nothing until the einsum reads it.
    """
    return F.pad(t, (0, 0, w - 1, 0)).unfold(-2, w, 1)


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    n, d = query.shape[-2:]
    w = min(window, n)
    logits = torch.einsum("bhid,bhidw->bhiw", query * d**-0.5, _bands(key, w))
    # slot o of row i is position i - (w-1) + o; negative ones are the padding
    slot = torch.arange(1 - w, 1, device=query.device)
    before_start = torch.arange(n, device=query.device)[:, None] + slot < 0
    logits = logits.masked_fill(before_start, -torch.inf)
    return torch.einsum("bhiw,bhidw->bhid", logits.softmax(-1), _bands(value, w))
