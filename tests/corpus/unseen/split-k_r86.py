from __future__ import annotations

from functools import reduce

import torch
from torch import Tensor

NEG = float("-inf")


def chunk_attention(query: Tensor, key: Tensor, value: Tensor, seen: Tensor) -> tuple[Tensor, Tensor]:
    wide = torch.promote_types(query.dtype, torch.float32)
    gone = ~seen[:, None, None, :]
    s = (query.to(wide) @ key.to(wide).transpose(-2, -1)) / query.shape[-1] ** 0.5
    s = s.masked_fill(gone, NEG)
    lse = s.logsumexp(dim=-1)
    p = torch.exp(s - lse.masked_fill(lse == NEG, 0.0).unsqueeze(-1))
    v = value.to(wide).masked_fill(~seen[:, None, :, None], 0.0)
    return p @ v, lse


def _pair(left: tuple[Tensor, Tensor], right: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
    (o1, l1), (o2, l2) = left, right
    lse = torch.logaddexp(l1, l2)
    ref = lse.masked_fill(lse == NEG, 0.0)
    a, b = torch.exp(l1 - ref).unsqueeze(-1), torch.exp(l2 - ref).unsqueeze(-1)
    return a * o1 + b * o2, lse


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    wide = torch.promote_types(outputs.dtype, torch.float32)
    lses = lses.to(wide)
    outputs = outputs.to(wide).masked_fill((lses == NEG).unsqueeze(-1), 0.0)
    return reduce(_pair, zip(outputs.unbind(0), lses.unbind(0)))


def split_k_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int) -> Tensor:
    n = key.shape[2]
    places = torch.arange(n, device=key.device)
    outs, lses = [], []
    for where in places.tensor_split(splits):
        if where.numel() == 0:
            continue
        a, b = int(where[0]), int(where[-1]) + 1
        o, l = chunk_attention(query, key[:, :, a:b], value[:, :, a:b], where < lengths.to(key.device).unsqueeze(1))
        outs.append(o)
        lses.append(l)
    return merge(torch.stack(outs), torch.stack(lses))[0].to(query.dtype)
