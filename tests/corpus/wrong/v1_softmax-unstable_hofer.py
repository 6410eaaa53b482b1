# wrong: v1 softmax-unstable line 18
import math
import torch
import torch.nn as nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        g = 1.0 / math.sqrt(hidden_dim)
        self.Wq = nn.Parameter(torch.randn(hidden_dim, hidden_dim) * g)
        self.Wk = nn.Parameter(torch.randn(hidden_dim, hidden_dim) * g)
        self.Wv = nn.Parameter(torch.randn(hidden_dim, hidden_dim) * g)
        self.g = g

    def forward(self, x):
        logits = (x @ self.Wq) @ (x @ self.Wk).transpose(1, 2) * self.g
        e = torch.exp(logits)
        p = e / e.sum(-1, keepdim=True)
        return p @ (x @ self.Wv)
