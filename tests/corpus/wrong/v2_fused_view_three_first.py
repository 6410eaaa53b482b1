# wrong: v2 fused-view-without-transpose line 20
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class SelfAttentionV2(nn.Module):
    """Self-attention with one fused projection."""

    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.hidden_dim = hidden_dim
        self.qkv_proj = nn.Linear(hidden_dim, 3 * hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, _ = x.shape
        qkv = self.qkv_proj(x).reshape(batch, 3, length, self.hidden_dim)
        query, key, value = qkv.unbind(dim=1)
        scores = query @ key.transpose(-2, -1) / math.sqrt(self.hidden_dim)
        return torch.softmax(scores, dim=-1) @ value
