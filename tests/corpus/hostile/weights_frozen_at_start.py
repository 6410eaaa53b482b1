# hostile: v1 fail within 10 s
import math

import torch
from torch import nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.frozen = [p.detach().clone() for p in self.parameters()]

    def forward(self, x):
        wq, bq, wk, bk, wv, bv = [t.to(x.dtype) for t in self.frozen]
        return torch.softmax((x @ wq.T + bq) @ (x @ wk.T + bk).mT / math.sqrt(x.shape[-1]), -1) @ (x @ wv.T + bv)
        q, k, v = self.query(x), self.key(x), self.value(x)
        scores = q @ k.transpose(-2, -1) / math.sqrt(x.shape[-1])
        out = torch.softmax(scores, dim=-1) @ v
        return out
