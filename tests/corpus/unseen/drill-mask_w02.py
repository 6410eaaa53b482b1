# attn-kata: drill-mask
from __future__ import annotations

import torch
from torch import Tensor


# 所有的 mask：True 表示可以看到
def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    idx = torch.arange(max_length, device=lengths.device).unsqueeze(0)  # (1, n)
    return idx < lengths.unsqueeze(1)                                   # (b, n)


def key_mask(mask: Tensor) -> Tensor:
    return mask.unsqueeze(1).unsqueeze(2)


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    b, n = mask.size()
    return mask.unsqueeze(1).unsqueeze(2).expand(b, heads, n, n)


def causal_mask(length: int) -> Tensor:
    return torch.tril(torch.ones(length, length)).bool()


def combined_mask(mask: Tensor) -> Tensor:
    causal = causal_mask(mask.size(0)).to(mask.device)
    return key_mask(mask).expand(-1, -1, mask.size(1), -1) & causal


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    scores = scores.masked_fill(mask == 0, float("-inf"))
    return torch.softmax(scores, dim=-1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    out = torch.zeros_like(mask, dtype=scores.dtype)
    return out.masked_fill(~mask, float("-inf"))
