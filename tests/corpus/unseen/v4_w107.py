from __future__ import annotations

import torch
from torch import Tensor, nn


class SelfAttentionV4(nn.Module):
    """Single-head self-attention with an optional attention mask.

    Args:
        hidden_dim: Model width.
        dropout: Probability of dropping an attention weight during training.
    """

    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.scale: float = hidden_dim**-0.5
        self.query_proj = nn.Linear(hidden_dim, hidden_dim)
        self.key_proj = nn.Linear(hidden_dim, hidden_dim)
        self.value_proj = nn.Linear(hidden_dim, hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.attn_dropout = nn.Dropout(dropout)

    @staticmethod
    def _to_additive(mask: Tensor, dtype: torch.dtype) -> Tensor:
        """Convert a mask to a bias that is 0 where attention is allowed."""
        lowest = torch.finfo(dtype).min
        bias = torch.zeros(mask.shape, dtype=dtype, device=mask.device)
        if mask.dtype == torch.bool:
            return bias.masked_fill(mask, lowest)
        return bias.masked_fill(mask == 0, lowest)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        query: Tensor = self.query_proj(x)
        key: Tensor = self.key_proj(x)
        value: Tensor = self.value_proj(x)
        scores: Tensor = query @ key.transpose(-2, -1) * self.scale
        if attention_mask is not None:
            scores = scores + self._to_additive(attention_mask, scores.dtype)
        weights: Tensor = self.attn_dropout(scores.softmax(dim=-1))
        return self.out_proj(weights @ value)
