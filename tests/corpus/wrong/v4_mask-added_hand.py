# wrong: v4 mask-added line 21
import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    """Выход: (batch, length, hidden_dim)."""

    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.query_proj = nn.Linear(hidden_dim, hidden_dim)
        self.key_proj = nn.Linear(hidden_dim, hidden_dim)
        self.value_proj = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("scale", torch.tensor(hidden_dim, dtype=torch.float32).sqrt(), persistent=False)

    def forward(self, x, attention_mask=None):
        query, key, value = self.query_proj(x), self.key_proj(x), self.value_proj(x)
        scores = query @ key.transpose(-2, -1) / self.scale
        if attention_mask is not None:
            scores = scores + attention_mask
        weights = self.dropout(scores.softmax(dim=-1))
        return weights @ value
