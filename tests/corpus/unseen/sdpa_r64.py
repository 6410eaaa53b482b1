from __future__ import annotations

import math

import torch
from torch import Tensor


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    nb, nh, nq, hd = query.shape
    nk, vd = value.size(2), value.size(3)
    scale = 1.0 / math.sqrt(hd)
    if mask is not None:
        mask = mask.expand(nb, nh, nq, nk)

    out = query.new_empty((nb, nh, nq, vd))
    for i in range(nq):
        # one past the last key that row i may read
        end = nk - nq + i + 1 if causal else nk
        s = (key[:, :, :end] * query[:, :, i : i + 1]).sum(3).mul(scale)  # nb, nh, end
        if mask is not None:
            s = s.masked_fill(mask[:, :, i, :end] == 0, torch.finfo(s.dtype).min)
        p = torch.softmax(s, dim=2)
        out[:, :, i] = (p.unsqueeze(3) * value[:, :, :end]).sum(2)
    return out
