import math

import torch
from torch import Tensor, nn


class SwiGLU(nn.Module):
    def __init__(self, width, inner):
        super().__init__()
        self.gate, self.up = nn.Linear(width, inner, bias=False), nn.Linear(width, inner, bias=False)
        self.down = nn.Linear(inner, width, bias=False)

    def forward(self, u):
        g = self.gate(u)
        return self.down(g * torch.sigmoid(g) * self.up(u))


class GroupedAttention(nn.Module):
    def __init__(self, width, heads, kv_heads):
        super().__init__()
        self.heads, self.kv_heads, self.size = heads, kv_heads, width // heads
        self.q = nn.Linear(width, heads * self.size, bias=False)
        self.k = nn.Linear(width, kv_heads * self.size, bias=False)
        self.v = nn.Linear(width, kv_heads * self.size, bias=False)
        self.o = nn.Linear(width, width, bias=False)

    @staticmethod
    def turn(t: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        a, b = t.chunk(2, dim=-1)
        a = a * cos - b * sin
        b = b * cos + a * sin
        return torch.cat([a, b], dim=-1)

    def forward(self, u, cos, sin):
        B, T, D = u.shape
        q = self.q(u).view(B, T, self.heads, self.size).transpose(1, 2)
        k = self.k(u).view(B, T, self.kv_heads, self.size).transpose(1, 2)
        v = self.v(u).view(B, T, self.kv_heads, self.size).transpose(1, 2)
        q, k = self.turn(q, cos, sin), self.turn(k, cos, sin)

        r = self.heads // self.kv_heads
        k, v = k.repeat_interleave(r, 1), v.repeat_interleave(r, 1)

        s = q @ k.transpose(-1, -2) / math.sqrt(self.size)
        s = s.masked_fill(torch.ones(T, T, device=u.device).triu(1).bool(), -math.inf)
        return self.o((s.softmax(-1) @ v).transpose(1, 2).reshape(B, T, D))


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        self.n1 = nn.RMSNorm(hidden_dim, eps=1e-5)
        self.att = GroupedAttention(hidden_dim, num_heads, num_kv_heads)
        self.n2 = nn.RMSNorm(hidden_dim, eps=1e-5)
        self.mlp = SwiGLU(hidden_dim, mlp_dim)

    def forward(self, x, cos, sin):
        h = x + self.att(self.n1(x), cos, sin)
        return h + self.mlp(self.n2(h))
