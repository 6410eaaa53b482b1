import math

import numpy as np
import torch
from torch import nn


class GroupedQueryAttentionWithRope(nn.Module):
    """Arrays are (batch, head, time, feature) throughout; the cache is a dict of arrays."""

    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.nh, self.nkv = num_heads, num_kv_heads
        self.hd = hidden_dim // num_heads
        k = np.arange(self.hd // 2)
        self.omega = np.power(float(base), -2.0 * k / self.hd)
        self.Pq = nn.Linear(hidden_dim, num_heads * self.hd)
        self.Pk = nn.Linear(hidden_dim, num_kv_heads * self.hd)
        self.Pv = nn.Linear(hidden_dim, num_kv_heads * self.hd)
        self.Po = nn.Linear(hidden_dim, hidden_dim)

    def spin(self, a, t0):
        T = a.shape[-2]
        phase = np.outer(np.arange(t0, t0 + T), self.omega)
        wide = torch.promote_types(a.dtype, torch.float32)
        c = torch.as_tensor(np.cos(phase), device=a.device).to(wide)
        s = torch.as_tensor(np.sin(phase), device=a.device).to(wide)
        lo, hi = torch.tensor_split(a, 2, dim=-1)
        return torch.concatenate([lo * c - hi * s, hi * c + lo * s], dim=-1).to(a.dtype)

    def forward(self, x, cache=None):
        B, T, _ = x.shape
        Q = self.Pq(x).reshape(B, T, self.nh, self.hd).swapaxes(1, 2)
        K = self.Pk(x).reshape(B, T, self.nkv, self.hd).swapaxes(1, 2)
        V = self.Pv(x).reshape(B, T, self.nkv, self.hd).swapaxes(1, 2)

        t0 = 0 if cache is None else cache["K"].shape[1]
        Q, K = self.spin(Q, t0), self.spin(K, t0)
        if cache is not None:
            K = torch.concatenate([cache["K"], K], dim=2)
            V = torch.concatenate([cache["V"], V], dim=2)
        S = K.shape[2]

        # query head h -> kv head h // (nh / nkv), by fancy indexing
        own = torch.arange(self.nh, device=x.device) // (self.nh // self.nkv)
        A = Q @ K[:, own].swapaxes(-1, -2) / math.sqrt(self.hd)
        i = torch.arange(S - T, S, device=x.device)[:, None]
        j = torch.arange(S, device=x.device)[None, :]
        A = torch.where(j <= i, A, torch.full_like(A, -torch.inf))
        O = torch.softmax(A, -1) @ V[:, own]
        return self.Po(O.swapaxes(1, 2).reshape(B, T, -1)), {"K": K, "V": V}
