from __future__ import annotations

import torch
from torch import Tensor, nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        self.kv = num_kv_heads
        self.group = num_heads // num_kv_heads
        self.width = hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key_value = nn.Linear(hidden_dim, 2 * num_kv_heads * self.width)
        self.output = nn.Linear(hidden_dim, hidden_dim)

    def widen(self, mask: Tensor) -> Tensor:
        return mask.unsqueeze(2)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        batch, length, _ = x.shape
        q = self.query(x).view(batch, length, self.kv, self.group, self.width)
        k, v = self.key_value(x).view(batch, length, 2, self.kv, self.width).unbind(2)

        # k = kv head, g = query head of its group
        scores = torch.einsum("bikgd,bjkd->bkgij", q, k) / self.width**0.5
        if attention_mask is not None:
            hidden = self.widen(attention_mask) == 0
            scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
        context = torch.einsum("bkgij,bjkd->bikgd", scores.softmax(dim=-1), v)
        return self.output(context.flatten(2))
