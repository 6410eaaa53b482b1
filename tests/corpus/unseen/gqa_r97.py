from __future__ import annotations

from functools import partial

import torch
from torch import Tensor, nn


def one_head(q: Tensor, k: Tensor, v: Tensor, hidden: Tensor) -> Tensor:
    """(t, d), (s, d), (s, d), (t, s) -> (t, d): attention as on the blackboard."""
    s = (q @ k.T) / q.shape[-1] ** 0.5
    return torch.softmax(torch.where(hidden, torch.finfo(s.dtype).min, s), dim=-1) @ v


class GroupedQueryAttention(nn.Module):
    """Each group's queries, key and value lie side by side in one fused layer, as in NeoX."""

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        self.kv_heads = num_kv_heads
        self.group, rest = divmod(num_heads, num_kv_heads)
        assert rest == 0
        self.head_dim = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, num_kv_heads * (self.group + 2) * self.head_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        over_group = torch.vmap(one_head, in_dims=(0, None, None, 0))
        over_kv = torch.vmap(over_group)
        self.attend = torch.vmap(over_kv)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        batch, length, width = x.shape
        parts = self.qkv(x).view(batch, length, self.kv_heads, self.group + 2, self.head_dim)
        parts = parts.permute(0, 2, 3, 1, 4)
        q, k, v = parts[:, :, :-2], parts[:, :, -2], parts[:, :, -1]
        if attention_mask is None:
            attention_mask = x.new_ones(1, 1, 1, 1)
        full = attention_mask.expand(batch, self.kv_heads * self.group, length, length)
        hidden = full.unflatten(1, (self.kv_heads, self.group)).eq(0)
        heads = self.attend(q, k, v, hidden)
        return self.out(heads.permute(0, 3, 1, 2, 4).reshape(batch, length, width))
