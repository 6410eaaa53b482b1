import math
from itertools import repeat

import torch
import torch.nn.functional as F
from torch import nn


class CrossAttention(nn.Module):
    """One sample at a time, all of its heads at once."""

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.H, self.p = num_heads, dropout
        self.W = nn.ParameterList(
            nn.Parameter(torch.empty(hidden_dim, hidden_dim)) for _ in range(4)
        )
        for w in self.W:
            nn.init.kaiming_uniform_(w, a=math.sqrt(5))

    def _sample(self, q, k, v, m):
        # q: (Tq, D), k and v: (Tk, D), m: (Tq, Tk) or None
        Wq, Wk, Wv, Wo = self.W
        q, k, v = (
            torch.stack((t @ w).tensor_split(self.H, dim=-1)) for t, w in ((q, Wq), (k, Wk), (v, Wv))
        )
        s = q @ k.mT / math.sqrt(q.shape[-1])
        if m is not None:
            s = s.masked_fill(m == 0, torch.finfo(s.dtype).min)
        a = F.dropout(F.softmax(s, -1), self.p, self.training)
        return torch.hstack(tuple(a @ v)) @ Wo

    def forward(self, query, key, value, mask=None):
        masks = repeat(None) if mask is None else mask
        return torch.stack([self._sample(*one) for one in zip(query, key, value, masks)])
