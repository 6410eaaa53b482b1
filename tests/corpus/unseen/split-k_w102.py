from __future__ import annotations

import math
from typing import Iterable

import torch
from torch import Tensor


def chunk_attention(query: Tensor, key: Tensor, value: Tensor, seen: Tensor) -> tuple[Tensor, Tensor]:
    visible = seen[:, None, None, :]
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key) * query.shape[-1] ** -0.5
    shown = scores.masked_fill(~visible, torch.finfo(scores.dtype).min)
    lse = scores.masked_fill(~visible, -math.inf).logsumexp(dim=-1)
    weights = torch.softmax(shown, dim=-1)
    return torch.einsum("bhqk,bhkv->bhqv", weights, value), lse


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    whole = torch.logsumexp(lses, dim=0)
    nobody = whole.isneginf()
    share = (lses - whole.masked_fill(nobody, 0.0)).exp()
    return torch.einsum("sbhq,sbhqv->bhqv", share, outputs), whole


def _pieces(length: int, splits: int) -> Iterable[tuple[int, int]]:
    edges = [length * i // splits for i in range(splits + 1)]
    return ((a, b) for a, b in zip(edges, edges[1:]) if b > a)


@torch.no_grad()
def split_k_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int) -> Tensor:
    place = torch.arange(key.shape[2], device=key.device)
    seen = place < lengths.unsqueeze(1)
    results = [
        chunk_attention(query, key[:, :, a:b], value[:, :, a:b], seen[:, a:b])
        for a, b in _pieces(key.shape[2], splits)
    ]
    outputs, lses = (torch.stack(part) for part in zip(*results))
    return merge(outputs, lses)[0]
