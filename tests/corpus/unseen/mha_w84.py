from __future__ import annotations

from typing import Optional

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class MaskedSoftmax(nn.Module):
    """Softmax over the keys, with an additive bias made from the 0/1 mask."""

    def __init__(self) -> None:
        super().__init__()
        self._bias: Optional[Tensor] = None

    def set_mask(self, attention_mask: Optional[Tensor], like: Tensor) -> None:
        if attention_mask is not None:
            self._bias = torch.zeros_like(attention_mask, dtype=like.dtype).masked_fill(
                attention_mask == 0, torch.finfo(like.dtype).min
            )

    def forward(self, scores: Tensor) -> Tensor:
        if self._bias is not None:
            scores = scores + self._bias
        return F.softmax(scores, dim=-1)


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        if hidden_dim % num_heads:
            raise ValueError("hidden_dim must be a multiple of num_heads")
        self.num_heads, self.head_dim = num_heads, hidden_dim // num_heads
        self.in_proj = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.softmax = MaskedSoftmax()
        self.dropout = dropout

    def forward(self, x: Tensor, attention_mask: Optional[Tensor] = None) -> Tensor:
        qkv = self.in_proj(x).unflatten(-1, (3, self.num_heads, self.head_dim))
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        self.softmax.set_mask(attention_mask, like=x)
        weights = self.softmax(q @ k.transpose(-1, -2) / self.head_dim**0.5)
        weights = F.dropout(weights, p=self.dropout, training=self.training)
        return self.out_proj((weights @ v).transpose(1, 2).flatten(-2))
