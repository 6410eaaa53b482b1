# attn-kata: split-k
from __future__ import annotations

import math

import torch
from torch import Tensor


def chunk_attention(
    query: Tensor, key: Tensor, value: Tensor, seen: Tensor
) -> tuple[Tensor, Tensor]:
    dtype = query.dtype
    if dtype in (torch.float16, torch.bfloat16):
        query, key, value = query.float(), key.float(), value.float()
    logits = query.matmul(key.mT).div(math.sqrt(query.size(-1)))
    logits = logits + torch.zeros_like(seen, dtype=logits.dtype).masked_fill(~seen, -math.inf)[:, None, None, :]
    lse = torch.logsumexp(logits, -1)
    weights = torch.exp(logits - lse.clamp_min(torch.finfo(lse.dtype).min).unsqueeze(-1))
    return weights.matmul(value).to(dtype), lse.to(dtype)


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    lse = torch.logsumexp(lses, 0)
    shares = torch.exp(lses - lse.clamp_min(torch.finfo(lse.dtype).min))
    return (shares[..., None] * outputs).sum(0), lse


def _fold(left: tuple[Tensor, Tensor], right: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
    return merge(torch.stack((left[0], right[0])), torch.stack((left[1], right[1])))


def split_k_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int
) -> Tensor:
    total = key.size(2)
    edges = [total * i // splits for i in range(splits + 1)]
    state = None
    for lo, hi in zip(edges, edges[1:]):
        if lo == hi:
            continue
        seen = torch.arange(lo, hi, device=lengths.device)[None] < lengths[:, None]
        part = chunk_attention(query, key[:, :, lo:hi], value[:, :, lo:hi], seen)
        state = part if state is None else _fold(state, part)
    return state[0]
