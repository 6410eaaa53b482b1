from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class GroupedQueryAttention(nn.Module):
    """No repeat: the axis of groups stays an axis (b, kv head, group member, ...)."""

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        d = hidden_dim // num_heads
        self.sizes = [num_heads * d, num_kv_heads * d, num_kv_heads * d]
        self.shape = (num_kv_heads, num_heads // num_kv_heads, d)
        self.wqkv = nn.Parameter(torch.randn(sum(self.sizes), hidden_dim) * hidden_dim**-0.5)
        self.wo = nn.Linear(num_heads * d, hidden_dim, bias=False)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        g, r, d = self.shape
        q, k, v = F.linear(x, self.wqkv).split(self.sizes, dim=-1)
        q = q.unflatten(-1, (g, r, d))
        k, v = (t.unflatten(-1, (g, d)) for t in (k, v))
        scores = torch.einsum("bigrd,bjgd->bgrij", q, k) / d**0.5
        if attention_mask is not None:
            if attention_mask.shape[1] == 1:
                hidden = attention_mask.eq(0).unsqueeze(1)
            else:
                hidden = attention_mask.eq(0).unflatten(1, (g, r))
            scores = scores.masked_fill(hidden, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        out = torch.einsum("bgrij,bjgd->bigrd", weights, v)
        return self.wo(out.flatten(2))
