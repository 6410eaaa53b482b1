from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class MultiQueryAttention(nn.Module):
    """Multi-query attention; [b, s * np, hn] x [b, hn, s] as one batched product."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.np = num_heads
        self.hn = hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key_value = nn.Linear(hidden_dim, 2 * self.hn)
        self.dense = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        b, s, h = x.shape
        query = self.query(x).view(b, s * self.np, self.hn)
        key, value = self.key_value(x).chunk(2, dim=-1)
        scores = torch.bmm(query, key.transpose(1, 2)) / self.hn**0.5
        if attention_mask is not None:
            mask = attention_mask.expand(b, self.np, s, s)
            mask = mask.reshape(b, self.np * s, s)
            scores = torch.where(mask > 0, scores, torch.finfo(scores.dtype).min)
        probs = F.softmax(scores, dim=-1)
        context = torch.bmm(probs, value)
        return self.dense(context.view(b, s, h))
