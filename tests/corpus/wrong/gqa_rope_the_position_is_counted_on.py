# wrong: gqa-rope position-on-self line 33
# fair: position-on-self 34
import torch
from torch import nn
from torch.nn import functional as F


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.base = base
        self.in_proj = nn.Parameter(torch.empty((num_heads + 2 * num_kv_heads) * self.head_dim, hidden_dim))
        self.out_proj = nn.Parameter(torch.empty(hidden_dim, num_heads * self.head_dim))
        nn.init.xavier_uniform_(self.in_proj)
        nn.init.xavier_uniform_(self.out_proj)
        self.position = 0

    def rotary(self, t, start):
        d = self.head_dim
        ang = torch.arange(start, start + t.shape[1], device=t.device, dtype=torch.float64)[:, None]
        ang = ang * torch.tensor([float(self.base) ** (-2 * i / d) for i in range(d // 2)], dtype=torch.float64, device=t.device)
        cos, sin = ang.cos().to(t.dtype)[:, None], ang.sin().to(t.dtype)[:, None]
        lo, hi = t.narrow(-1, 0, d // 2), t.narrow(-1, d // 2, d // 2)
        return torch.cat([lo * cos - hi * sin, hi * cos + lo * sin], -1)

    def forward(self, x, cache=None):
        b, n, _ = x.shape
        if cache is None:
            self.position = 0  # a new sequence
        start = self.position
        self.position += n
        qkv = F.linear(x, self.in_proj).view(b, n, -1, self.head_dim)
        q = self.rotary(qkv[:, :, : self.num_heads], start)
        k = self.rotary(qkv[:, :, self.num_heads : -self.num_kv_heads], start)
        v = qkv[:, :, -self.num_kv_heads :]
        if cache is not None:
            k = torch.cat([cache["k"], k], 1)
            v = torch.cat([cache["v"], v], 1)
        cache = {"k": k, "v": v}
        m = k.shape[1]
        outs = []
        for h in range(self.num_heads):
            g = h * self.num_kv_heads // self.num_heads
            s = q[:, :, h] @ k[:, :, g].transpose(1, 2) / self.head_dim**0.5
            s = s.masked_fill(torch.ones(n, m, device=x.device).tril(m - n) == 0, float("-inf"))
            outs.append(s.softmax(-1) @ v[:, :, g])
        return F.linear(torch.cat(outs, -1), self.out_proj), cache
