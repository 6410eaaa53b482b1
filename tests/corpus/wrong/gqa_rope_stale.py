# wrong: gqa-rope cache-stale line 39
# fair: cache-stale 30 32 33
import torch
from torch import nn


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000.0):
        super().__init__()
        self.h, self.g, self.d, self.base = num_heads, num_kv_heads, hidden_dim // num_heads, base
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, self.g * self.d, bias=False)
        self.v_proj = nn.Linear(hidden_dim, self.g * self.d, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        b, t, e = x.shape
        past = 0 if cache is None else cache[0].size(2)
        freq = self.base ** (-torch.arange(self.d // 2, device=x.device) * 2 / self.d)
        angle = torch.outer(torch.arange(past, past + t, device=x.device).float(), freq)
        cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)

        def turn(z):
            a, b = z.split(self.d // 2, dim=-1)
            return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)

        q = turn(self.q_proj(x).view(b, t, self.h, self.d).transpose(1, 2))
        k = turn(self.k_proj(x).view(b, t, self.g, self.d).transpose(1, 2))
        v = self.v_proj(x).view(b, t, self.g, self.d).transpose(1, 2)
        fresh = (k, v)
        if cache is not None:
            k = torch.cat([cache[0], k], dim=2)
            v = torch.cat([cache[1], v], dim=2)

        q = q.view(b, self.g, self.h // self.g, t, self.d)
        s = torch.einsum("bgrtd,bgsd->bgrts", q, k) / self.d**0.5
        s = s.masked_fill(torch.ones(t, past + t, device=x.device).triu(past + 1) == 1, float("-inf"))
        y = torch.einsum("bgrts,bgsd->btgrd", s.softmax(-1), v)
        return self.o_proj(y.reshape(b, t, e)), fresh
