from functools import partial

import torch
from torch import nn

softmax = partial(torch.softmax, dim=-1)
Dense = partial(nn.Linear, bias=False)


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.shape = (num_heads, hidden_dim // num_heads)
        self.wq = Dense(hidden_dim, hidden_dim)
        self.wkv = Dense(hidden_dim, 2 * hidden_dim)
        self.wo = Dense(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        n = x.size(1)
        q = self.wq(x).unflatten(2, self.shape) / self.shape[1] ** 0.5
        k, v = self.wkv(x).unflatten(2, (2, *self.shape)).unbind(2)    # b n h d each
        if cache is not None:
            old_k, old_v = cache.unbind(0)
            k = torch.cat([old_k, k], 1)
            v = torch.cat([old_v, v], 1)
        cache = torch.stack([v, k])
        m = k.size(1)

        s = torch.einsum("bnhd,bmhd->bhnm", q, k)
        causal = torch.full((n, m), -torch.inf, dtype=s.dtype, device=s.device).triu(m - n + 1)
        y = torch.einsum("bhnm,bmhd->bnhd", softmax(s + causal), v)
        return self.wo(y.flatten(2)), cache
