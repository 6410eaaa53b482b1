import torch
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, *, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.d = hidden_dim // num_heads
        self.n = num_heads
        # rows: one block of d for each (projection, head); used as x @ w.T
        self.w_in = nn.Parameter(torch.empty(3, hidden_dim, hidden_dim))
        self.b_in = nn.Parameter(torch.zeros(3, hidden_dim))
        for w in self.w_in.data:
            nn.init.xavier_uniform_(w)
        self.merge = nn.Linear(hidden_dim, hidden_dim)
        self.p = dropout

    def _head(self, which, source, h):
        rows = slice(h * self.d, (h + 1) * self.d)
        return torch.nn.functional.linear(source, self.w_in[which, rows], self.b_in[which, rows])

    def forward(self, query, key, value, mask=None):
        hidden = None if mask is None else mask.eq(0)
        per_head = []
        for h in range(self.n):
            q, k, v = (self._head(i, s, h) for i, s in enumerate((query, key, value)))
            scores = torch.bmm(q, k.transpose(1, 2)) / self.d**0.5
            if hidden is not None:
                scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
            weights = torch.softmax(scores, dim=2)
            weights = torch.nn.functional.dropout(weights, p=self.p, training=self.training)
            per_head.append(torch.bmm(weights, v))
        return self.merge(torch.cat(per_head, dim=2))
