# right: gqa-rope
import torch
from torch import nn, einsum, cat, arange


class GQARoPE(nn.Module):
    def __init__(self, D, H, G, base=1e4):
        super().__init__()
        self.H, self.G, self.b, d = H, G, base, D // H
        self.q, self.kv, self.o = nn.Linear(D, D, False), nn.Linear(D, 2 * G * d, False), nn.Linear(D, D, False)

    def forward(self, x, cache=None):
        B, T, D = x.shape
        d = D // self.H
        q = self.q(x).view(B, T, self.G, -1, d)
        k, v = self.kv(x).view(B, T, 2, self.G, d).unbind(2)
        p = cache[0].shape[1] if cache else 0
        a = arange(p, p + T, device=x.device)[:, None] * self.b ** (-arange(0, d, 2, device=x.device, dtype=torch.float64) / d)
        c, s = cat([a.cos()] * 2, -1).to(x), cat([-a.sin(), a.sin()], -1).to(x)
        q = q * c[:, None, None] + q.roll(d // 2, -1) * s[:, None, None]
        k = k * c[:, None] + k.roll(d // 2, -1) * s[:, None]
        if cache:
            k, v = cat([cache[0], k], 1), cat([cache[1], v], 1)
        w = einsum("btgrd,bsgd->bgrts", q, k) / d**0.5
        w = w.masked_fill(arange(p + T, device=x.device) > arange(p, p + T, device=x.device)[:, None], -torch.inf)
        return self.o(einsum("bgrts,bsgd->btgrd", w.softmax(-1), v).reshape(B, T, D)), (k, v)
