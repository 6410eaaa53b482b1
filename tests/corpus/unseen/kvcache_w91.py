# attn-kata: kvcache
import math
import torch
from torch import nn


class CachedSelfAttention(nn.Module):
    """cache = dict with a list of key pieces and a list of value pieces"""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h = num_heads
        self.d = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)

    def heads(self, t):
        return t.view(t.shape[0], t.shape[1], self.h, self.d).transpose(1, 2)

    def forward(self, x, cache=None):
        n = x.shape[1]
        q, k, v = self.heads(self.wq(x)), self.heads(self.wk(x)), self.heads(self.wv(x))
        if cache is None:
            cache = {"k": [], "v": []}
        cache["k"].append(k)
        cache["v"].append(v)
        keys = torch.cat(cache["k"], dim=2)
        values = torch.cat(cache["v"], dim=2)
        m = keys.shape[2]
        see = torch.ones(n, m, dtype=torch.bool, device=x.device).tril(m - n)
        s = (q @ keys.transpose(-1, -2)) / math.sqrt(self.d)
        s = s.masked_fill(~see, float("-inf"))
        o = s.softmax(dim=-1) @ values
        return self.wo(o.transpose(1, 2).reshape(x.shape)), cache
