# right: gqa
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class Group(nn.Module):
    """One key/value head and the query heads that share it."""

    def __init__(self, hidden_dim: int, share: int, head_dim: int) -> None:
        super().__init__()
        self.share, self.head_dim = share, head_dim
        self.vk = nn.Linear(hidden_dim, 2 * head_dim)
        self.queries = nn.Linear(hidden_dim, share * head_dim)
        self.back = nn.Linear(share * head_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        b, t, _ = x.shape
        v, k = self.vk(x).chunk(2, dim=-1)
        q = self.queries(x).reshape(b, t, self.share, self.head_dim).permute(0, 2, 1, 3)
        s = q @ k[:, None].mT / math.sqrt(self.head_dim)
        if mask is not None:
            s = s.masked_fill(mask == 0, -torch.inf)
        y = s.softmax(-1) @ v[:, None]
        return self.back(y.permute(0, 2, 1, 3).reshape(b, t, -1))


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        share, rest = divmod(num_heads, num_kv_heads)
        assert rest == 0
        self.share = share
        self.groups = nn.ModuleList(
            Group(hidden_dim, share, hidden_dim // num_heads) for _ in range(num_kv_heads)
        )

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        out = torch.zeros_like(x)
        for i, group in enumerate(self.groups):
            m = attention_mask
            if m is not None and m.shape[1] > 1:
                m = m[:, i * self.share : (i + 1) * self.share]
            out = out + group(x, m)
        return out
