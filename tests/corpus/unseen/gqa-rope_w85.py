import torch
import torch.nn.functional as F
from torch import nn


class GroupedQueryAttentionWithRope(nn.Module):
    """Rotates with a table of cos/sin that grows when a longer sequence comes."""

    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.nh, self.nkv, self.hd = num_heads, num_kv_heads, hidden_dim // num_heads
        self.base = base
        self.wqkv = nn.Linear(hidden_dim, (num_heads + 2 * num_kv_heads) * self.hd)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        self.angles = self._angles(torch.arange(128))

    def _angles(self, pos):
        half = self.hd // 2
        freq = self.base ** (-torch.arange(half, dtype=torch.float64) / half)
        return pos.double()[:, None] * freq

    def _grow(self, needed):
        have = self.angles.shape[0]
        if needed > have:
            more = self._angles(torch.arange(needed - have))
            self.angles = torch.cat([self.angles, more])

    def _rotate(self, t, start):
        angle = self.angles[start:start + t.shape[2]].to(t.device)
        cos, sin = angle.cos().to(t.dtype), angle.sin().to(t.dtype)
        a, b = t.split(self.hd // 2, dim=-1)
        return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)

    def forward(self, x, cache=None):
        b, n, _ = x.shape
        past = cache["k"].shape[2] if cache else 0
        self._grow(past + n)
        qkv = self.wqkv(x).view(b, n, -1, self.hd).transpose(1, 2)
        q, k, v = qkv.split([self.nh, self.nkv, self.nkv], dim=1)
        q, k = self._rotate(q, past), self._rotate(k, past)
        if cache:
            k, v = torch.cat([cache["k"], k], 2), torch.cat([cache["v"], v], 2)
        qg = q.reshape(b, self.nkv, self.nh // self.nkv, n, self.hd)
        att = torch.einsum("bgrnd,bgmd->bgrnm", qg, k) / self.hd ** 0.5
        see = torch.arange(past + n, device=x.device) <= torch.arange(past, past + n, device=x.device)[:, None]
        att = F.softmax(att.masked_fill(~see, -torch.inf), dim=-1)
        y = torch.einsum("bgrnm,bgmd->bgrnd", att, v).reshape(b, self.nh, n, self.hd)
        return self.wo(y.transpose(1, 2).reshape(b, n, -1)), {"k": k, "v": v}
