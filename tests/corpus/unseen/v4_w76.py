from __future__ import annotations

from torch import Tensor, nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.query_proj = nn.Linear(hidden_dim, hidden_dim)
        self.key_proj = nn.Linear(hidden_dim, hidden_dim)
        self.value_proj = nn.Linear(hidden_dim, hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)
        self.scale = hidden_dim ** 0.5

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        query = self.query_proj(x)
        key = self.key_proj(x)
        value = self.value_proj(x)

        scores = query.matmul(key.transpose(-1, -2)) / self.scale
        if attention_mask is not None:
            scores.masked_fill_(attention_mask == 0, float("-inf"))
        weights = scores.softmax(dim=-1)

        context = self.dropout(weights.matmul(value))
        return self.out_proj(context)
