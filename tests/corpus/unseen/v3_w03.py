# attn-kata: v3
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class SelfAttentionV3(nn.Module):
    """Single-head self-attention with mask handling for every dtype.

    Args:
        hidden_dim: width of the model.
        dropout: probability with which an attention weight is dropped.
    """

    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        if not 0.0 <= dropout <= 1.0:
            raise ValueError("dropout must lie between 0 and 1")
        self.hidden_dim = hidden_dim
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.attn_dropout = nn.Dropout(p=dropout)

    @staticmethod
    def _apply_mask(scores: Tensor, mask: Tensor) -> Tensor:
        """scores and mask: (batch, length, length)."""
        if mask.shape[-2:] != scores.shape[-2:]:
            raise ValueError(f"mask {tuple(mask.shape)} does not fit scores {tuple(scores.shape)}")
        if torch.is_floating_point(mask):
            return scores + mask.to(scores.dtype)
        return scores.masked_fill(torch.logical_not(mask), float("-inf"))

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        query = self.q_proj(x)                                  # (batch, length, hidden_dim)
        key = self.k_proj(x)
        value = self.v_proj(x)
        scores = torch.matmul(query, key.transpose(-2, -1))     # (batch, length, length)
        scores = scores / math.sqrt(self.hidden_dim)
        if attention_mask is not None:
            scores = self._apply_mask(scores, attention_mask)
        weights = self.attn_dropout(torch.softmax(scores, dim=-1))
        return self.out_proj(torch.matmul(weights, value))
