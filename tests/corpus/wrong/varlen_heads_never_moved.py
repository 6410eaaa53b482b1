# wrong: varlen heads-attended line 26
import math

import torch
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    cu = torch.zeros(len(lengths) + 1, dtype=torch.int32, device=lengths.device)
    cu[1:] = torch.cumsum(lengths, dim=0)
    return cu


def document_mask(lengths: Tensor, total: int) -> Tensor:
    ids = torch.full((total,), -1, device=lengths.device)
    ids[: int(lengths.sum())] = torch.arange(len(lengths), device=lengths.device).repeat_interleave(lengths)
    return (ids[:, None] == ids) & (ids[:, None] >= 0)


def varlen_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False) -> Tensor:
    out = torch.zeros_like(query)
    cu = cumulative_lengths(lengths).tolist()
    for i in range(len(cu) - 1):
        s, e = cu[i], cu[i + 1]
        q, k, v = query[s:e], key[s:e], value[s:e]
        attn = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        if causal:
            heads = attn.shape[-1]
            attn = attn.masked_fill(torch.ones(heads, heads, dtype=torch.bool, device=q.device).triu(1), float("-inf"))
        out[s:e] = attn.softmax(dim=-1) @ v
    return out
