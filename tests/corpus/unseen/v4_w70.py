import math

import torch
from torch import nn


class SelfAttentionV4(nn.Module):
    # ported from our inference engine: dropout is a plain mask multiply there
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.D = hidden_dim
        self.rate = dropout
        self.Wq = nn.Linear(hidden_dim, hidden_dim)
        self.Wk = nn.Linear(hidden_dim, hidden_dim)
        self.Wv = nn.Linear(hidden_dim, hidden_dim)

    def _dropout(self, p):
        if not self.training or self.rate <= 0.0:
            return p
        if self.rate >= 1.0:
            return torch.zeros_like(p)
        u = torch.rand_like(p)
        keep = (u < self.rate).to(p.dtype)
        return p * keep * (1.0 / (1.0 - self.rate))

    def forward(self, x, attention_mask=None):
        B, L, D = x.shape
        q, k, v = self.Wq(x), self.Wk(x), self.Wv(x)
        out = []
        for b in range(B):
            s = q[b].mm(k[b].t()) / math.sqrt(D)
            if attention_mask is not None:
                s = s.masked_fill(attention_mask[b].logical_not(), -math.inf)
            p = torch.softmax(s, dim=1)
            out.append(self._dropout(p).mm(v[b]))
        return torch.stack(out)
