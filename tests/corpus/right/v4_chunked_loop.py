# right: v4
"""Row by row, so that the (T, T) matrix never exists at once.  Slow and plain."""
import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)
        self.scale = hidden_dim ** -0.5

    def row(self, q_t, k, v, keep):
        # q_t: (B, D), k, v: (B, S, D), keep: (B, S) or None
        s = (k * q_t.unsqueeze(1)).sum(-1) * self.scale
        if keep is not None:
            s = s.masked_fill(keep == 0, float("-inf"))
        p = self.drop(torch.softmax(s, dim=-1))
        return (p.unsqueeze(-1) * v).sum(1)

    def forward(self, x, attention_mask=None):
        q, k, v = self.q(x), self.k(x), self.v(x)
        rows = []
        for t in range(x.size(1)):
            keep = None if attention_mask is None else attention_mask[:, t, :]
            rows.append(self.row(q[:, t], k, v, keep))
        return torch.stack(rows, dim=1)
