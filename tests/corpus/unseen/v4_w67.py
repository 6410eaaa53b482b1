import math

import torch
import torch.nn.functional as F
from torch import nn


class SelfAttentionV4(nn.Module):
    """One head, separate projections, optional (b, q, k) mask, dropout on the weights."""

    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.dropout = dropout
        self.inv_temp = 1.0 / math.sqrt(hidden_dim)
        mk = lambda: nn.Linear(hidden_dim, hidden_dim)  # noqa: E731
        self.wq, self.wk, self.wv, self.wo = mk(), mk(), mk(), mk()

    def attend(self, q, k, v, mask):
        s = q.matmul(k.mT).mul(self.inv_temp)                 # (b, q, k)
        if mask is not None:
            s = s.masked_fill(mask.eq(0), float("-inf"))
        p = F.softmax(s, dim=-1)
        if self.dropout > 0.0:
            p = F.dropout(p, self.dropout)
        return p.matmul(v)                                    # (b, q, d)

    def forward(self, x, attention_mask=None):
        ctx = self.attend(self.wq(x), self.wk(x), self.wv(x), attention_mask)
        return self.wo(ctx)
