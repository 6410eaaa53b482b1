import torch
import torch.nn as nn
import torch.nn.functional as F


class Rotary(nn.Module):
    def __init__(self, dim, base):
        super().__init__()
        self.dim, self.base = dim, base

    def forward(self, x, offset):
        # x: B, H, T, D
        half = self.dim // 2
        pos = torch.arange(offset, offset + x.size(2), device=x.device, dtype=torch.float64)
        freq = torch.pow(self.base, -2.0 * torch.arange(half, device=x.device, dtype=torch.float64) / self.dim)
        theta = pos.unsqueeze(1) * freq.unsqueeze(0)
        c, s = theta.cos().to(x.dtype), theta.sin().to(x.dtype)
        a, b = x[..., :half], x[..., half:]
        return torch.cat([a * c - b * s, b * c + a * s], dim=-1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.H, self.K = num_heads, num_kv_heads
        self.D = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, self.H * self.D)
        self.k = nn.Linear(hidden_dim, self.K * self.D)
        self.v = nn.Linear(hidden_dim, self.K * self.D)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.rope = Rotary(self.D, base)

    def forward(self, x, cache=None):
        B, T, C = x.shape
        q = self.q(x).view(B, T, self.H, self.D).transpose(1, 2)
        k = self.k(x).view(B, T, self.K, self.D).transpose(1, 2)
        v = self.v(x).view(B, T, self.K, self.D).transpose(1, 2)
        past_len = cache["k"].size(2) if cache else 0
        q = self.rope(q, past_len)
        k = self.rope(k, past_len)
        if cache:
            k = torch.cat([cache["k"], k], dim=2)
            v = torch.cat([cache["v"], v], dim=2)

        k = k.repeat_interleave(self.H // self.K, dim=1)
        v = v.repeat_interleave(self.H // self.K, dim=1)
        cache = {"k": k, "v": v}

        att = q @ k.transpose(2, 3) / self.D**0.5
        i = torch.arange(T, device=x.device).view(-1, 1) + past_len
        j = torch.arange(T + past_len, device=x.device).view(1, -1)
        att = att.masked_fill(j > i, float("-inf"))
        y = F.softmax(att, dim=-1) @ v
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        return self.o(y), cache
