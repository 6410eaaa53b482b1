# attn-kata: split-k
from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class Partial:
    output: Tensor
    lse: Tensor

    def __add__(self, other: "Partial") -> "Partial":
        lse = torch.logaddexp(self.lse, other.lse)
        base = torch.where(torch.isneginf(lse), torch.zeros_like(lse), lse)
        mine = torch.exp(self.lse - base).unsqueeze(-1)
        theirs = torch.exp(other.lse - base).unsqueeze(-1)
        return Partial(mine * self.output + theirs * other.output, lse)


def chunk_attention(query: Tensor, key: Tensor, value: Tensor, seen: Tensor) -> tuple[Tensor, Tensor]:
    acc = torch.promote_types(query.dtype, torch.float32)
    q, k, v = query.to(acc), key.to(acc), value.to(acc)
    scores = torch.einsum("bhqd,bhkd->bhqk", q, k) * q.shape[-1] ** -0.5
    scores = torch.where(seen[:, None, None, :], scores, torch.finfo(acc).min)
    lse = torch.logsumexp(scores, dim=-1)
    weights = torch.softmax(scores, dim=-1)
    return torch.einsum("bhqk,bhke->bhqe", weights, v).to(value.dtype), lse


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    acc = torch.promote_types(outputs.dtype, torch.float32)
    parts = [Partial(o, l) for o, l in zip(outputs.to(acc), lses.to(acc))]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total.output.to(outputs.dtype), total.lse


def split_k_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int) -> Tensor:
    chunks = min(splits, key.shape[2])
    positions = torch.arange(key.shape[2], device=key.device)
    seen = positions.unsqueeze(0) < lengths.to(key.device).unsqueeze(1)
    results = [
        chunk_attention(query, k, v, s)
        for k, v, s in zip(key.tensor_split(chunks, 2), value.tensor_split(chunks, 2), seen.tensor_split(chunks, 1))
    ]
    outputs, lses = (torch.stack(list(r)) for r in zip(*results))
    return merge(outputs, lses)[0]
