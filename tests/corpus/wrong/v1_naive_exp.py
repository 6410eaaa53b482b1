# wrong: v1 softmax-unstable line 17
"""softmax from the definition"""
import torch
from torch import nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.fq = nn.Linear(hidden_dim, hidden_dim)
        self.fk = nn.Linear(hidden_dim, hidden_dim)
        self.fv = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        q, k, v = self.fq(x), self.fk(x), self.fv(x)
        scores = (q @ k.transpose(1, 2)) / q.shape[-1] ** 0.5
        weights = torch.exp(scores)
        weights = weights / weights.sum(dim=-1, keepdim=True)
        return weights @ v
