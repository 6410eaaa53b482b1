from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        head_dim = hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.key = nn.Linear(hidden_dim, head_dim, bias=False)
        self.value = nn.Linear(hidden_dim, head_dim, bias=False)
        self.dense = nn.Linear(hidden_dim, hidden_dim, bias=False)

    @staticmethod
    def prepare(mask: Tensor | None) -> Tensor | None:
        """Bring the three mask shapes to one boolean mask."""
        if mask is None:
            return None
        mask = mask.to(torch.bool)
        if mask.size(-2) == 1:
            mask = mask & mask.transpose(-1, -2)
        return mask

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        mask = self.prepare(attention_mask)
        query = self.query(x).unflatten(-1, (self.num_heads, -1))
        key, value = self.key(x), self.value(x)
        logits = torch.einsum("bqhd,bkd->bhqk", query, key) / math.sqrt(key.size(-1))
        if mask is not None:
            logits = logits.masked_fill(~mask, torch.finfo(logits.dtype).min)
        context = torch.einsum("bhqk,bkd->bqhd", logits.softmax(dim=-1), value)
        return self.dense(context.flatten(2))
