# attn-kata: varlen
import math

import torch
from torch import Tensor
from torch.nn import functional as F


def cumulative_lengths(lengths: Tensor) -> Tensor:
    return F.pad(torch.cumsum(lengths, dim=0), (1, 0)).to(torch.int32)


def document_mask(lengths: Tensor, total: int) -> Tensor:
    ids = torch.full((total,), -1, dtype=torch.long, device=lengths.device)
    n = int(lengths.sum())
    ids[:n] = torch.repeat_interleave(torch.arange(len(lengths), device=lengths.device), lengths.long())
    return (ids[:, None] == ids[None, :]) & (ids >= 0)[:, None]


def varlen_attention(query, key, value, lengths, causal=False):
    cu = cumulative_lengths(lengths).tolist()
    scale = 1.0 / math.sqrt(query.shape[-1])
    out = torch.zeros_like(query)
    for start, end in zip(cu[:-1], cu[1:]):
        if start == end:
            break
        q = query[start:end].transpose(0, 1)
        k = key[start:end].transpose(0, 1)
        v = value[start:end].transpose(0, 1)
        scores = (q @ k.transpose(-1, -2)) * scale
        if causal:
            n = end - start
            past = torch.ones(n, n, dtype=torch.bool, device=q.device).tril()
            scores = scores.masked_fill(~past, float("-inf"))
        out[start:end] = (scores.softmax(-1) @ v).transpose(0, 1)
    return out
