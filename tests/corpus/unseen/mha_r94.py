import torch
from torch import nn


class Head(nn.Module):
    """One head: its own three narrow layers, scores as (batch, query, key)."""

    def __init__(self, hidden_dim, head_dim):
        super().__init__()
        self.q = nn.Linear(hidden_dim, head_dim)
        self.k = nn.Linear(hidden_dim, head_dim)
        self.v = nn.Linear(hidden_dim, head_dim)
        self.root = head_dim ** 0.5

    def forward(self, x, mask, drop):
        s = self.q(x).bmm(self.k(x).mT).div(self.root)
        if mask is not None:
            s = s.masked_fill(mask, torch.finfo(s.dtype).min)
        return drop(s.softmax(-1)).bmm(self.v(x))


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        head_dim, rest = divmod(hidden_dim, num_heads)
        assert rest == 0
        self.heads = nn.ModuleList([Head(hidden_dim, head_dim) for _ in range(num_heads)])
        self.drop = nn.Dropout(dropout)
        self.final = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        B, T, _ = x.shape
        if attention_mask is None:
            per_head = [None] * len(self.heads)
        else:
            hide = (attention_mask == 0).expand(B, len(self.heads), T, T)
            per_head = hide.unbind(1)
        parts = [head(x, m, self.drop) for head, m in zip(self.heads, per_head)]
        return self.final(torch.cat(parts, dim=-1))
