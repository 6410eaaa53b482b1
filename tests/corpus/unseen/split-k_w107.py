from __future__ import annotations

import torch
from torch import Tensor

NEG_INF = float("-inf")


def _finite(x: Tensor) -> Tensor:
    """-inf -> 0, so that it may be subtracted."""
    return torch.where(torch.isneginf(x), 0.0, x)


def chunk_attention(query: Tensor, key: Tensor, value: Tensor, seen: Tensor) -> tuple[Tensor, Tensor]:
    scores = torch.einsum("bhqd,bhkd->bhqk", query * query.size(-1) ** -0.5, key)
    scores = torch.where(seen[:, None, None, :], scores, NEG_INF)
    top = scores.amax(dim=-1)
    exps = torch.exp(scores - _finite(top)[..., None])
    total = exps.sum(dim=-1)
    mixed = torch.einsum("bhqk,bhkd->bhqd", exps, value)
    mixed = mixed / torch.where(total > 0, total, 1.0)[..., None]
    return mixed, torch.log(total) + _finite(top)


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    top = lses.amax(dim=0)
    shares = torch.exp(lses - _finite(top))
    total = shares.sum(dim=0)
    merged = torch.einsum("sbhq,sbhqd->bhqd", shares, outputs)
    merged = merged / torch.where(total > 0, total, 1.0)[..., None]
    return merged, torch.log(total) + _finite(top)


def split_k_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int
) -> Tensor:
    places = torch.arange(key.size(2), device=key.device)
    seen = places < lengths.unsqueeze(-1)
    results = [
        chunk_attention(query, k, v, s)
        for k, v, s in zip(
            key.tensor_split(splits, dim=2),
            value.tensor_split(splits, dim=2),
            seen.tensor_split(splits, dim=1),
        )
    ]
    outputs, lses = map(torch.stack, zip(*results))
    return merge(outputs, lses)[0]
