from __future__ import annotations

import torch
from torch import Tensor, nn

NEGATIVE = -1e-9


class SelfAttentionV3(nn.Module):
    """One head; mask, dropout, output projection."""

    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.hidden_dim = hidden_dim
        self.W_query = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.W_key = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.W_value = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.W_out = nn.Linear(hidden_dim, hidden_dim)
        self.attn_drop = nn.Dropout(dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        queries = self.W_query(x)
        keys = self.W_key(x)
        values = self.W_value(x)

        omega = torch.einsum("bqd,bkd->bqk", queries, keys)
        omega = omega / self.hidden_dim**0.5

        if attention_mask is not None:
            blocked = attention_mask == 0
            omega = omega.masked_fill(blocked, NEGATIVE)

        weights = torch.softmax(omega, dim=-1)
        weights = self.attn_drop(weights)
        context = weights @ values
        return self.W_out(context)
