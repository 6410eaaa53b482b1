# wrong: v1 softmax-missing line 11
import torch
import torch.nn as nn
import numpy as np


def attention(q, k, v):
    """q: [b, n, d], k: [b, n, d], v: [b, n, d] -> [b, n, d]"""
    d = q.shape[-1]
    scores = torch.matmul(q, k.permute(0, 2, 1)) / np.sqrt(d)
    return torch.matmul(scores, v)


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.lin_q = nn.Linear(hidden_dim, hidden_dim)
        self.lin_k = nn.Linear(hidden_dim, hidden_dim)
        self.lin_v = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        return attention(self.lin_q(x), self.lin_k(x), self.lin_v(x))
