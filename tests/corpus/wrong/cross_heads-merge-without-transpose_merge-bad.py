# wrong: cross heads-merge-without-transpose line 23
import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.nh = num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.kv = nn.ModuleList(nn.Linear(hidden_dim, hidden_dim) for _ in range(2))
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.p = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        def split(t):
            return torch.stack(t.chunk(self.nh, dim=-1), dim=1)
        q, k, v = split(self.q(query)), split(self.kv[0](key)), split(self.kv[1](value))
        s = q.matmul(k.transpose(-2, -1)).div(q.size(-1) ** 0.5)
        if mask is not None:
            s = s.masked_fill(mask.unsqueeze(1) == 0, -1e9)
        c = self.p(s.softmax(-1)).matmul(v)
        return self.o(c.contiguous().view(query.shape))
