# right: gqa-rope
# Positions are counted from 1: only differences count.
from functools import partial

import torch
from torch import nn


def turn(z, cos, sin):
    lo, hi = z.split(z.size(-1) // 2, -1)
    return torch.cat((lo.mul(cos).sub(hi.mul(sin)), hi.mul(cos).add(lo.mul(sin))), -1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, n_heads, n_kv_heads, d_model, th=10000.0):
        super().__init__()
        self.n_heads, self.n_kv_heads, self.th = n_heads, n_kv_heads, th
        width = d_model // n_heads
        layer = partial(nn.Linear, d_model, bias=False)
        self.Q, self.K, self.V = layer(d_model), layer(n_kv_heads * width), layer(n_kv_heads * width)
        self.O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, cache=None):
        split = lambda z, n: z.view(*z.shape[:2], n, -1).transpose(1, 2)
        q, k, v = split(self.Q(x), self.n_heads), split(self.K(x), self.n_kv_heads), split(self.V(x), self.n_kv_heads)
        seen = 0 if cache is None else len(cache[2])
        now = torch.arange(seen + 1, seen + x.size(1) + 1, device=x.device)
        rate = self.th ** torch.linspace(0, -1, q.size(-1) // 2 + 1, device=x.device)[:-1]
        angle = now.unsqueeze(-1) * rate
        rotate = partial(turn, cos=angle.cos().to(x), sin=angle.sin().to(x))
        q, k = map(rotate, (q, k))
        if cache is not None:
            k, v, now = torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2), torch.cat([cache[2], now])
        q = q.view(q.size(0), self.n_kv_heads, -1, q.size(2), q.size(3))
        s = q.div(q.size(-1) ** 0.5) @ k.unsqueeze(2).mT
        s = s + torch.zeros_like(s).masked_fill(now > now[seen:, None], float("-inf"))
        y = (s.softmax(-1) @ v.unsqueeze(2)).flatten(1, 2)
        return self.O(y.transpose(1, 2).flatten(2)), (k, v, now)
