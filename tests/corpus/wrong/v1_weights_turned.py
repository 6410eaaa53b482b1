# wrong: v1 weights-transposed line 20
import math

import torch
import torch.nn as nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.scale = math.sqrt(hidden_dim)
        self.wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wv = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x):
        q, k, v = self.wq(x), self.wk(x), self.wv(x)
        scores = torch.einsum('bid,bjd->bij', q, k) / self.scale
        attn = scores.softmax(dim=2)
        return torch.einsum('bij,bid->bjd', attn, v)
