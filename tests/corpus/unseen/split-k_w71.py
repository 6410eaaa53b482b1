from __future__ import annotations

import math

import torch
from torch import Tensor


def chunk_attention(
    query: Tensor, key: Tensor, value: Tensor, seen: Tensor
) -> tuple[Tensor, Tensor]:
    scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(query.size(-1))
    scores = scores.masked_fill(seen[:, None, None, :].logical_not(), float("-inf"))
    lse = torch.logsumexp(scores, dim=-1)
    probs = torch.softmax(scores, dim=-1)
    probs = torch.where(lse.isneginf().unsqueeze(-1), torch.zeros_like(probs), probs)
    return torch.matmul(probs, value), lse


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    merged_lse = torch.logsumexp(lses, dim=0)
    scale = torch.exp(lses - merged_lse)
    scale = torch.where(merged_lse.isneginf(), torch.zeros_like(scale), scale)
    return (outputs * scale.unsqueeze(-1)).sum(dim=0), merged_lse


def split_k_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int
) -> Tensor:
    kv_len = key.size(2)
    kv_chunk_size = (kv_len + splits - 1) // splits
    lengths = lengths.to(key.device)
    tmp_out, tmp_lse = [], []
    for start in range(0, kv_len, kv_chunk_size):
        k = key[:, :, start : start + kv_chunk_size]
        v = value[:, :, start : start + kv_chunk_size]
        offsets = torch.arange(k.size(2), device=key.device)
        out, lse = chunk_attention(query, k, v, offsets[None, :] < lengths[:, None])
        tmp_out.append(out)
        tmp_lse.append(lse)
    return merge(torch.stack(tmp_out), torch.stack(tmp_lse))[0]
