from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    return F.pad(torch.cumsum(lengths, dim=0, dtype=torch.int32), (1, 0))


def document_mask(lengths: Tensor, total: int) -> Tensor:
    document_ids = torch.full((total,), -1, dtype=torch.long, device=lengths.device)
    cu_seqlens = cumulative_lengths(lengths).tolist()
    for i, (start, end) in enumerate(zip(cu_seqlens[:-1], cu_seqlens[1:])):
        document_ids[start:end] = i
    return document_ids[:, None] == document_ids[None, :]


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    output = torch.zeros_like(query)
    softmax_scale = 1.0 / math.sqrt(query.shape[-1])
    cu_seqlens = cumulative_lengths(lengths).tolist()
    for start, end in zip(cu_seqlens, cu_seqlens[1:]):
        if start == end:
            continue
        q, k, v = (t[start:end].transpose(0, 1) for t in (query, key, value))
        scores = torch.bmm(q, k.transpose(1, 2)) * softmax_scale
        if causal:
            n = end - start
            keep = torch.tril(torch.ones(n, n, dtype=torch.bool, device=q.device))
            scores = scores.masked_fill(keep.logical_not(), float("-inf"))
        output[start:end] = torch.bmm(scores.softmax(dim=-1), v).transpose(0, 1)
    return output
