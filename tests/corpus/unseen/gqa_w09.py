from __future__ import annotations

import torch
from torch import Tensor, nn


class GroupedQueryAttention(nn.Module):
    """q heads are grouped over an extra axis, so that k and v broadcast."""

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int):
        super().__init__()
        self.kv, self.rep = num_kv_heads, num_heads // num_kv_heads
        head_dim = hidden_dim // num_heads
        self.scaling = head_dim**-0.5
        self.q = nn.Linear(hidden_dim, num_heads * head_dim)
        self.k = nn.Linear(hidden_dim, num_kv_heads * head_dim)
        self.v = nn.Linear(hidden_dim, num_kv_heads * head_dim)
        self.o = nn.Linear(num_heads * head_dim, hidden_dim)

    def _group_mask(self, mask: Tensor) -> Tensor:
        """to (batch, kv, rep, length or 1, length)"""
        if mask.size(1) == 1:
            return mask.unsqueeze(2)
        return mask.unflatten(1, (self.rep, self.kv)).transpose(1, 2)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        b, t, _ = x.shape
        q = self.q(x).view(b, t, self.kv, self.rep, -1).permute(0, 2, 3, 1, 4)
        k = self.k(x).view(b, t, self.kv, 1, -1).permute(0, 2, 3, 4, 1)
        v = self.v(x).view(b, t, self.kv, 1, -1).permute(0, 2, 3, 1, 4)
        logits = (q * self.scaling) @ k
        if attention_mask is not None:
            logits.masked_fill_(self._group_mask(attention_mask) == 0, float("-inf"))
        heads = logits.softmax(-1) @ v
        return self.o(heads.permute(0, 3, 1, 2, 4).reshape(b, t, -1))
