# right: gqa-rope
import torch
import torch.nn as nn


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000, max_len=512):
        super().__init__()
        self.H, self.G = num_heads, num_kv_heads
        self.D = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, self.H * self.D)
        self.k = nn.Linear(hidden_dim, self.G * self.D)
        self.v = nn.Linear(hidden_dim, self.G * self.D)
        self.o = nn.Linear(self.H * self.D, hidden_dim)
        omega = float(base) ** (-torch.arange(self.D // 2, dtype=torch.float32) / (self.D // 2))
        angle = torch.arange(max_len).float()[:, None] * omega
        self.register_buffer("cis", torch.polar(torch.ones_like(angle), angle), persistent=False)

    def rope(self, t, start):
        a, b = t.float().chunk(2, -1)
        z = torch.complex(a, b) * self.cis[start : start + t.shape[-2]]
        return torch.cat([z.real, z.imag], -1).to(t.dtype)

    def forward(self, x, cache=None):
        B, T, _ = x.shape
        old = cache[0].shape[2] if cache else 0
        q = self.rope(self.q(x).reshape(B, T, self.H, self.D).permute(0, 2, 1, 3), old)
        k = self.rope(self.k(x).reshape(B, T, self.G, self.D).permute(0, 2, 1, 3), old)
        v = self.v(x).reshape(B, T, self.G, self.D).permute(0, 2, 1, 3)
        if cache:
            k = torch.cat((cache[0], k), 2)
            v = torch.cat((cache[1], v), 2)
        r = self.H // self.G
        s = q @ k.repeat_interleave(r, 1).transpose(2, 3) / self.D**0.5
        row = torch.arange(old, old + T, device=x.device).unsqueeze(1)
        col = torch.arange(old + T, device=x.device)
        s = s.masked_fill(col > row, -torch.inf)
        y = s.softmax(dim=-1) @ v.repeat_interleave(r, 1)
        return self.o(y.transpose(1, 2).flatten(2)), [k, v]
