from __future__ import annotations

import torch
from torch import Tensor, nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        self.groups = num_kv_heads
        self.per_group = num_heads // num_kv_heads
        self.head_dim = hidden_dim // num_heads
        kv_dim = num_kv_heads * self.head_dim
        self.widths = [hidden_dim, kv_dim, kv_dim]
        self.qkv = nn.Linear(hidden_dim, sum(self.widths), bias=False)
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def _grouped_mask(self, mask: Tensor) -> Tensor:
        # (b, heads | 1, q | 1, k) -> (b, groups | 1, per_group | 1, q | 1, k)
        if mask.shape[1] == 1:
            return mask.unsqueeze(2)
        return mask.unflatten(1, (self.groups, self.per_group))

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = self.qkv(x).split(self.widths, dim=-1)
        q = q.unflatten(-1, (self.groups, self.per_group, self.head_dim))
        k, v = (t.unflatten(-1, (self.groups, self.head_dim)) for t in (k, v))
        scores = torch.einsum("bigrd,bjgd->bgrij", q, k) / self.head_dim**0.5
        if attention_mask is not None:
            hidden = self._grouped_mask(attention_mask) == 0
            scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
        context = torch.einsum("bgrij,bjgd->bigrd", scores.softmax(-1), v)
        return self.out(context.flatten(2))
