from math import sqrt

from torch import nn


class SelfAttentionV1(nn.Module):
    """One head of attention; the three projections live in a ModuleList."""

    def __init__(self, hidden_dim: int):
        super().__init__()
        self.projections = nn.ModuleList([nn.Linear(hidden_dim, hidden_dim, bias=False)] * 3)
        self.norm = sqrt(hidden_dim)

    def forward(self, x):
        query, key, value = (proj(x) for proj in self.projections)
        similarity = query.matmul(key.mT).div(self.norm)
        return similarity.softmax(-1).matmul(value)
