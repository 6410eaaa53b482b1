import torch
from torch import nn


class Rotary(nn.Module):
    """table that grows on demand; float32, whatever the model's dtype"""

    def __init__(self, dim, base):
        super().__init__()
        self.dim, self.base = dim, base
        self._cos = self._sin = None

    def table(self, upto, device):
        if self._cos is None or self._cos.shape[0] < upto or self._cos.device != device:
            n = max(upto, 64)
            j = torch.arange(self.dim // 2, device=device, dtype=torch.float64)
            w = self.base ** (-2.0 * j / self.dim)
            a = torch.arange(n, device=device, dtype=torch.float64)[:, None] * w
            a = torch.cat([a, a], dim=-1)
            self._cos, self._sin = a.cos(), a.sin()
        return self._cos[:upto], self._sin[:upto]

    def forward(self, t, start):
        c, s = (z[start:] for z in self.table(start + t.shape[-2], t.device))
        lo, hi = t.double().tensor_split(2, dim=-1)
        return (t * c + torch.cat((hi.neg(), lo), -1) * s).to(t.dtype)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.hd = hidden_dim // num_heads
        self.nkv, self.g = num_kv_heads, num_heads // num_kv_heads
        # per kv group: [g queries | 1 key | 1 value]
        self.wqkv = nn.Linear(hidden_dim, num_kv_heads * (self.g + 2) * self.hd)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        self.rope = Rotary(self.hd, base)

    def forward(self, x, cache=None):
        B, T, _ = x.shape
        qkv = self.wqkv(x).view(B, T, self.nkv, self.g + 2, self.hd).permute(0, 2, 3, 1, 4)
        raw = qkv[:, :, self.g:]                                  # B, kv, 2, T, hd: keys unrotated
        if cache is not None:
            raw = torch.cat((cache, raw), dim=-2)
        S = raw.shape[-2]
        q = self.rope(qkv[:, :, :self.g], S - T)                  # B, kv, g, T, hd
        k = self.rope(raw[:, :, :1], 0)
        s = q @ k.mT * self.hd ** -0.5
        i = torch.arange(S, device=x.device)
        s = s.masked_fill(i > i[S - T:, None], float("-inf"))
        o = s.softmax(-1) @ raw[:, :, 1:]
        return self.wo(o.permute(0, 3, 1, 2, 4).flatten(2)), raw
