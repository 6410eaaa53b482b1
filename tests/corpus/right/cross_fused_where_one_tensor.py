# right: cross
import torch
import torch.nn.functional as F
from torch import nn


class CrossAttention(nn.Module):
    """Projects with one product where keys and values come from one tensor, which is the same."""

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads, self.hidden_dim = num_heads, hidden_dim
        self.weight = nn.Parameter(torch.empty(3 * hidden_dim, hidden_dim))
        nn.init.xavier_uniform_(self.weight)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def project(self, query, key, value):
        if query is key and key is value:
            return F.linear(query, self.weight).chunk(3, dim=-1)
        wq, wk, wv = self.weight.chunk(3)
        if key is value:
            k, v = F.linear(key, torch.cat([wk, wv])).chunk(2, dim=-1)
        else:
            k, v = F.linear(key, wk), F.linear(value, wv)
        return F.linear(query, wq), k, v

    def forward(self, query, key, value, mask=None):
        q, k, v = (
            t.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for t in self.project(query, key, value)
        )
        scores = q @ k.mT / q.size(-1) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask.unsqueeze(1) == 0, torch.finfo(scores.dtype).min)
        return self.out((self.dropout(scores.softmax(-1)) @ v).transpose(1, 2).flatten(2))
