from __future__ import annotations

import math

import torch
from torch import Tensor


def chunk_attention(
    query: Tensor, key: Tensor, value: Tensor, seen: Tensor
) -> tuple[Tensor, Tensor]:
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    shown = seen[:, None, None, :]
    empty = ~shown.any(dim=-1, keepdim=True)
    scores = scores.masked_fill(~shown, -math.inf)
    lse = scores.logsumexp(dim=-1, keepdim=True).masked_fill(empty, 0)
    weights = (scores - lse).exp()
    return weights @ value, lse.squeeze(-1)


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    top = lses.amax(dim=0)
    anchor = top.masked_fill(top == -math.inf, 0)
    shares = (lses - anchor).exp()
    total = shares.sum(dim=0)
    merged = (shares.unsqueeze(-1) * outputs).sum(dim=0)
    merged = merged / total.masked_fill(total == 0, 1).unsqueeze(-1)
    return merged, anchor + total.log()


def split_k_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int
) -> Tensor:
    size = -(-key.shape[2] // splits)
    outputs, lses = [], []
    for start in range(0, key.shape[2], size):
        part = slice(start, start + size)
        k, v = key[:, :, part], value[:, :, part]
        place = torch.arange(start, start + k.shape[2], device=key.device)
        output, lse = chunk_attention(query, k, v, place < lengths[:, None])
        outputs.append(output)
        lses.append(lse)
    return merge(torch.stack(outputs), torch.stack(lses))[0]
