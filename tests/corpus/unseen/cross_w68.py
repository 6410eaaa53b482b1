from __future__ import annotations

from typing import Optional

import torch
from torch import Tensor, nn


class CrossAttention(nn.Module):
    """Decoder states (query) read encoder states (key, value)."""

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        head_dim, rem = divmod(hidden_dim, num_heads)
        assert rem == 0
        self.shape = (num_heads, head_dim)
        self.query_proj = nn.Linear(hidden_dim, hidden_dim)
        self.key_proj = nn.Linear(hidden_dim, hidden_dim)
        self.value_proj = nn.Linear(hidden_dim, hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.p = dropout

    def _addresses(self, source: Tensor) -> Tensor:
        # keys only say where to look; what is read comes through the values
        return self.key_proj(source.detach()).unflatten(-1, self.shape)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Optional[Tensor] = None
    ) -> Tensor:
        q = self.query_proj(query).unflatten(-1, self.shape)   # b t h d
        k = self._addresses(key)                               # b s h d
        v = self.value_proj(value).unflatten(-1, self.shape)   # b s h d

        logits = torch.einsum("bthd,bshd->bhts", q, k) * self.shape[1] ** -0.5
        if mask is not None:
            blocked = mask.to(torch.bool).logical_not()[:, None]
            logits = logits.masked_fill(blocked, torch.finfo(logits.dtype).min)
        weights = torch.softmax(logits, dim=-1)
        if self.training and self.p > 0:
            weights = nn.functional.dropout(weights, self.p)
        context = torch.einsum("bhts,bshd->bthd", weights, v)
        return self.out_proj(context.flatten(-2))
