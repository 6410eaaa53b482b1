import math

import torch
from torch import nn
from torch.nn.functional import silu


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        self.H, self.G, self.D = num_heads, num_kv_heads, hidden_dim // num_heads
        self.attn_norm = nn.RMSNorm(hidden_dim, eps=1e-5)
        self.ffn_norm = nn.RMSNorm(hidden_dim, eps=1e-5)
        self.wqkv = nn.Linear(hidden_dim, (self.H + 2 * self.G) * self.D, bias=False)
        self.wo = nn.Linear(self.H * self.D, hidden_dim, bias=False)
        self.w1 = nn.Linear(hidden_dim, mlp_dim, bias=False)
        self.w2 = nn.Linear(mlp_dim, hidden_dim, bias=False)
        self.w3 = nn.Linear(hidden_dim, mlp_dim, bias=False)

    @staticmethod
    def rope(t, cos, sin):
        # t: (B, T, heads, D); tables: (T, D/2)
        cos, sin = cos[:, None, :], sin[:, None, :]
        x1, x2 = t.chunk(2, dim=-1)
        x1 = x1 * cos - x2 * sin
        x2 = x2 * cos + x1 * sin
        return torch.cat([x1, x2], dim=-1)

    def attn(self, x, cos, sin):
        B, T, _ = x.shape
        q, k, v = self.wqkv(x).view(B, T, -1, self.D).split([self.H, self.G, self.G], dim=2)
        q, k = self.rope(q, cos, sin), self.rope(k, cos, sin)
        q = q.view(B, T, self.G, self.H // self.G, self.D)
        s = torch.einsum("btgrd,bsgd->bgrts", q, k) / math.sqrt(self.D)
        s = s + torch.full((T, T), float("-inf"), dtype=s.dtype, device=s.device).triu(1)
        o = torch.einsum("bgrts,bsgd->btgrd", s.softmax(-1), v)
        return self.wo(o.reshape(B, T, -1))

    def forward(self, x, cos, sin):
        h = x + self.attn(self.attn_norm(x), cos, sin)
        u = self.ffn_norm(h)
        return h + self.w2(silu(self.w1(u)) * self.w3(u))
