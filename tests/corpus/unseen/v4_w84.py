import torch
from torch import nn


class SelfAttentionV4(nn.Module):
    """softmax(Q K^T / sqrt(d)) V, with an optional (batch, query, key) mask."""

    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wv = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.attn_drop = nn.Dropout(dropout)
        self.scale = hidden_dim ** -0.5

    def forward(self, x, attention_mask=None):
        query, key, value = self.wq(x), self.wk(x), self.wv(x)
        scores = (query * self.scale) @ key.transpose(1, 2)      # (batch, length, length)

        if attention_mask is None:
            return scores.softmax(dim=-1) @ value

        hidden = attention_mask == 0
        scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
        weights = self.attn_drop(scores.softmax(dim=-1))
        return weights @ value                                   # (batch, length, hidden_dim)
