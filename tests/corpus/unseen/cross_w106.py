import torch
from torch import nn


class CrossAttention(nn.Module):
    """The scores are kept source-major, (batch, heads, source, target): each column is a query."""

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        n, target, width = query.shape
        source = key.shape[1]
        head_dim = width // self.num_heads
        q = self.q(query).view(n, target, self.num_heads, head_dim)
        k = self.k(key).view(n, source, self.num_heads, head_dim)
        v = self.v(value).view(n, source, self.num_heads, head_dim)
        scores = torch.einsum("nshd,nthd->nhst", k, q) / head_dim**0.5
        if mask is not None:
            mask = mask.reshape(n, 1, source, target)
            scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
        weights = self.dropout(torch.softmax(scores, dim=2))
        context = torch.einsum("nhst,nshd->nthd", weights, v)
        return self.o(context.reshape(n, target, width))
