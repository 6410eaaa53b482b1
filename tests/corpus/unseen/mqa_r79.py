from __future__ import annotations

import math
from typing import Final

import torch
from torch import Tensor, nn


def no_wraps_log(fn):
    calls = []

    def logged(*args, **kwargs):
        calls.append(fn.__name__)
        del calls[:-16]  # only the latest names
        return fn(*args, **kwargs)

    logged.calls = calls
    return logged


class MultiQueryAttention(nn.Module):
    KV_HEADS: Final = 1

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.fused = nn.Linear(hidden_dim, hidden_dim + 2 * self.head_dim, bias=False)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    @no_wraps_log
    def project(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        query, kv = self.fused(x).tensor_split([self.num_heads * self.head_dim], dim=-1)
        query = query.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)
        key, value = kv.unsqueeze(1).chunk(2, dim=-1)  # (batch, 1, length, head_dim)
        return query, key, value

    @no_wraps_log
    def weigh(self, query: Tensor, key: Tensor, mask: Tensor | None) -> Tensor:
        scores = query @ key.mT / math.sqrt(self.head_dim)
        match mask:
            case None:
                pass
            case torch.Tensor(dtype=torch.bool):
                scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
            case _:
                scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
        return scores.softmax(dim=-1)

    @no_wraps_log
    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        query, key, value = self.project(x)
        context = self.weigh(query, key, attention_mask) @ value
        return self.out_proj(context.transpose(1, 2).reshape(x.shape))
