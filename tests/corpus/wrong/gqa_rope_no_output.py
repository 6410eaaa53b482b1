# wrong: gqa-rope output-projection-missing line 33
import torch
from torch import nn


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000.0):
        super().__init__()
        self.nh, self.ng, self.base = num_heads, num_kv_heads, base
        self.hd = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wkv = nn.Linear(hidden_dim, 2 * num_kv_heads * self.hd)

    def forward(self, x, cache=None):
        b, t, e = x.shape
        q = self.wq(x).view(b, t, self.nh, self.hd)
        k, v = self.wkv(x).view(b, t, 2, self.ng, self.hd).unbind(2)
        past = 0 if cache is None else cache[0].shape[1]
        rate = self.base ** (-torch.arange(0, self.hd, 2, device=x.device) / self.hd)
        phi = torch.arange(past, past + t, device=x.device).view(-1, 1, 1) * rate
        cos, sin = phi.cos().to(x.dtype), phi.sin().to(x.dtype)
        q1, q2 = q.chunk(2, -1)
        k1, k2 = k.chunk(2, -1)
        q = torch.cat([q1 * cos - q2 * sin, q2 * cos + q1 * sin], -1)
        k = torch.cat([k1 * cos - k2 * sin, k2 * cos + k1 * sin], -1)
        if cache is not None:
            k, v = torch.cat([cache[0], k], 1), torch.cat([cache[1], v], 1)
        cache = k, v
        k, v = (z.transpose(1, 2).repeat_interleave(self.nh // self.ng, dim=1) for z in cache)
        s = q.transpose(1, 2) @ k.mT / self.hd**0.5
        s = s.masked_fill(torch.ones(t, past + t, device=x.device).tril(past) == 0, float("-inf"))
        y = s.softmax(-1) @ v
        return y.transpose(1, 2).reshape(b, t, e), cache
