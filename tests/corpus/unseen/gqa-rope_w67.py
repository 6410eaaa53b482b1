import math

import numpy as np
import torch
from torch import nn


def rope_tables(start, stop, head_dim, base, device):
    half = head_dim // 2
    pos = np.arange(start, stop, dtype=np.float64)
    freq = base ** (-np.arange(half) / head_dim)
    ang = pos[:, np.newaxis] * freq[np.newaxis, :]
    return torch.from_numpy(np.cos(ang)).to(device), torch.from_numpy(np.sin(ang)).to(device)


def rope(t, cos, sin):
    # t (B, H, T, D): entry i goes with entry i + D/2
    cos = cos.to(torch.promote_types(t.dtype, torch.float32))
    sin = sin.to(cos.dtype)
    n = t.shape[-1] // 2
    first = t[..., :n] * cos - t[..., n:] * sin
    second = t[..., n:] * cos + t[..., :n] * sin
    out = torch.concatenate([first, second], axis=-1)
    return out.to(t.dtype)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.nh, self.nkv, self.base = num_heads, num_kv_heads, float(base)
        self.hd = hidden_dim // num_heads
        self.fq = nn.Linear(hidden_dim, self.nh * self.hd)
        self.fk = nn.Linear(hidden_dim, self.nkv * self.hd)
        self.fv = nn.Linear(hidden_dim, self.nkv * self.hd)
        self.fo = nn.Linear(self.nh * self.hd, hidden_dim)

    def forward(self, x, cache=None):
        B, T, C = x.shape
        q = self.fq(x).reshape(B, T, self.nh, self.hd).swapaxes(1, 2)
        k = self.fk(x).reshape(B, T, self.nkv, self.hd).swapaxes(1, 2)
        v = self.fv(x).reshape(B, T, self.nkv, self.hd).swapaxes(1, 2)

        n0 = 0 if cache is None else cache[0].shape[2]
        cos, sin = rope_tables(n0, n0 + T, self.hd, self.base, x.device)
        q, k = rope(q, cos, sin), rope(k, cos, sin)

        if cache is not None:
            k = torch.concatenate([cache[0], k], axis=2)
            v = torch.concatenate([cache[1], v], axis=2)
        new_cache = (k, v)

        # head h uses kv head h // (nh // nkv)
        which = torch.arange(self.nh, device=x.device) // (self.nh // self.nkv)
        k, v = k[:, which], v[:, which]
        A = q @ k.swapaxes(-1, -2) / math.sqrt(self.hd)
        i = np.arange(n0, n0 + T)[:, np.newaxis]
        j = np.arange(n0 + T)[np.newaxis, :]
        A = A.masked_fill(torch.from_numpy(j > i).to(x.device), -np.inf)
        A = torch.softmax(A, -1)
        out = (A @ v).swapaxes(1, 2).reshape(B, T, self.nh * self.hd)
        return self.fo(out), new_cache
