"""Keys are cached as they come from the projection; a head half is the real part, the other the imaginary one."""
import math
import operator
from itertools import accumulate

import torch
from torch import nn


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.hd, self.kvs, self.base = hidden_dim // num_heads, num_kv_heads, base
        widths = [num_heads * self.hd, num_kv_heads * self.hd, num_kv_heads * self.hd]
        self.cuts = list(accumulate(widths, operator.add))[:-1]
        self.into = nn.Linear(hidden_dim, sum(widths))
        self.back = nn.Linear(num_heads * self.hd, hidden_dim)

    def phases(self, positions):
        """unit complex numbers, (positions, head_dim/2)"""
        i = torch.arange(self.hd // 2, device=positions.device, dtype=torch.float64)
        angle = positions.double()[:, None] * torch.exp(-2 * i / self.hd * math.log(self.base))
        return torch.polar(torch.ones_like(angle), angle)

    def spin(self, heads, phase):
        wide = torch.float64 if heads.dtype == torch.float64 else torch.float32
        re, im = heads.to(wide).chunk(2, dim=-1)
        z = torch.complex(re, im) * phase.to(torch.complex128 if wide == torch.float64 else torch.complex64)
        return torch.cat((z.real, z.imag), dim=-1).to(heads.dtype)

    def forward(self, x, cache=None):
        q, k, v = (t.unflatten(-1, (-1, self.hd)).transpose(1, 2) for t in self.into(x).tensor_split(self.cuts, dim=-1))
        fresh = torch.stack((k, v))  # (2, batch, kv heads, length, head_dim)
        cache = fresh if cache is None else torch.cat((cache, fresh), dim=3)
        k, v = cache

        everywhere = torch.arange(k.shape[2], device=x.device)
        here = everywhere[-x.shape[1] :]
        phase = self.phases(everywhere)
        q, k = self.spin(q, phase[-x.shape[1] :]), self.spin(k, phase)

        # the queries of a group are read as one long list of queries
        b, heads, t, _ = q.shape
        group = heads // self.kvs
        scores = q.reshape(b, self.kvs, group * t, self.hd) @ k.mT / math.sqrt(self.hd)
        ahead = (everywhere > here[:, None]).repeat(group, 1)
        mixed = scores.masked_fill(ahead, -math.inf).softmax(-1) @ v
        return self.back(mixed.reshape(b, heads, t, self.hd).transpose(1, 2).flatten(2)), cache
