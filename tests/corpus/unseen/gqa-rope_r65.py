# Grouped-query attention with RoPE, loops over kv heads; the cache is a tuple of (k, v) chunks
# with keys as they leave the projection, turned when they are read.
import math

import torch
import torch.nn.functional as F
from torch import nn


def turn(t, pos, base):
    """t [B, S, D], pos [S]; (t[i], t[i + D/2]) is one complex number."""
    n = t.size(-1) >> 1
    fp = torch.float64 if t.dtype is torch.float64 else torch.float32
    theta = pos.to(fp).unsqueeze(1) * torch.pow(
        torch.tensor(float(base), dtype=fp, device=t.device),
        -2.0 * torch.arange(n, dtype=fp, device=t.device) / (2 * n),
    )
    unit = torch.polar(torch.ones_like(theta), theta)
    z = torch.complex(t[..., :n].to(fp), t[..., n:].to(fp)) * unit
    return torch.cat((z.real, z.imag), -1).to(t.dtype)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.nq, self.nk, self.base = num_heads, num_kv_heads, base
        self.D = hidden_dim // num_heads
        self.rep = num_heads // num_kv_heads
        rows = (num_heads + 2 * num_kv_heads) * self.D
        self.Wqkv = nn.Parameter(torch.randn(rows, hidden_dim) / math.sqrt(hidden_dim))
        self.Wo = nn.Parameter(torch.randn(hidden_dim, num_heads * self.D) / math.sqrt(hidden_dim))

    def forward(self, x, cache=None):
        B, L, _ = x.shape
        D, nq, nk, rep = self.D, self.nq, self.nk, self.rep
        q, k, v = F.linear(x, self.Wqkv).split((nq * D, nk * D, nk * D), dim=2)

        chunks = (() if cache is None else cache) + ((k, v),)
        K = torch.cat([c[0] for c in chunks], 1)
        V = torch.cat([c[1] for c in chunks], 1)
        S = K.size(1)
        kpos = torch.arange(S, device=x.device)
        qpos = kpos[S - L :]
        future = qpos.view(L, 1) < kpos.view(1, S)

        outs = []
        for g in range(nk):
            kg = turn(K[:, :, g * D : (g + 1) * D], kpos, self.base)
            vg = V[:, :, g * D : (g + 1) * D]
            for r in range(rep):
                h = g * rep + r
                qh = turn(q[:, :, h * D : (h + 1) * D], qpos, self.base)
                s = torch.bmm(qh, kg.transpose(1, 2)).div(math.sqrt(D))
                s = s.masked_fill(future, float("-inf"))
                outs.append(torch.bmm(F.softmax(s, 2), vg))
        return F.linear(torch.cat(outs, 2), self.Wo), chunks
