from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F


def cumulative_lengths(lengths: Tensor) -> Tensor:
    return F.pad(torch.cumsum(lengths, dim=0, dtype=torch.int32), (1, 0))


def document_mask(lengths: Tensor, total: int) -> Tensor:
    ids = torch.full((total,), -1, device=lengths.device)
    filled = torch.repeat_interleave(torch.arange(len(lengths), device=lengths.device), lengths)
    ids[: len(filled)] = filled
    return (ids[:, None] == ids[None, :]) & (ids >= 0)


def varlen_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False) -> Tensor:
    scale = query.shape[-1] ** -0.5
    cu = cumulative_lengths(lengths).tolist()
    chunks = []
    for start, stop in zip(cu[:-1], cu[1:]):
        q, k, v = query[start:stop], key[start:stop], value[start:stop]
        scores = torch.matmul(q, k.mT) * scale
        if causal:
            size = scores.size(-1)
            scores = scores.masked_fill(torch.ones(size, size, device=q.device).triu(1).bool(), -torch.inf)
        chunks.append(torch.matmul(scores.softmax(dim=-1), v))
    chunks.append(torch.zeros_like(query[cu[-1]:]))
    return torch.cat(chunks, dim=0)
