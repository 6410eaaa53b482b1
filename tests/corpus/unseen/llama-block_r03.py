from collections import OrderedDict

import torch
from torch import nn


class RMS(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, u):
        wide = u.to(torch.promote_types(u.dtype, torch.float32))
        wide = wide * (wide.pow(2).mean(-1, keepdim=True) + 1e-5).rsqrt()
        return wide.to(u.dtype) * self.scale


class Attention(nn.Module):
    def __init__(self, dim, n_q, n_kv):
        super().__init__()
        self.n_q, self.n_kv, self.d = n_q, n_kv, dim // n_q
        self.wq = nn.Linear(dim, n_q * self.d, bias=False)
        self.wkv = nn.Linear(dim, 2 * n_kv * self.d, bias=False)
        self.wo = nn.Linear(n_q * self.d, dim, bias=False)

    @staticmethod
    def turn(u, cos, sin):
        # u: (batch, length, ..., d); the tables get an axis for each one in between
        for _ in range(u.dim() - 3):
            cos, sin = cos.unsqueeze(1), sin.unsqueeze(1)
        a, b = u.chunk(2, dim=-1)
        return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)

    def forward(self, x, cos, sin):
        B, T, _ = x.shape
        q = self.wq(x).view(B, T, self.n_kv, self.n_q // self.n_kv, self.d)
        k, v = self.wkv(x).view(B, T, 2, self.n_kv, self.d).unbind(2)
        cos, sin = cos.to(x.dtype), sin.to(x.dtype)
        q, k = self.turn(q, cos, sin), self.turn(k, cos, sin)
        s = torch.einsum("btgrd,bsgd->bgrts", q, k) / self.d ** 0.5
        s = s + torch.full((T, T), -torch.inf, dtype=s.dtype, device=s.device).triu(1)
        o = torch.einsum("bgrts,bsgd->btgrd", s.softmax(-1), v)
        return self.wo(o.reshape(B, T, -1))


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        self.norm_1, self.norm_2 = RMS(hidden_dim), RMS(hidden_dim)
        self.attn = Attention(hidden_dim, num_heads, num_kv_heads)
        self.mlp = nn.ModuleDict(OrderedDict(
            gate=nn.Linear(hidden_dim, mlp_dim, bias=False),
            up=nn.Linear(hidden_dim, mlp_dim, bias=False),
            down=nn.Linear(mlp_dim, hidden_dim, bias=False),
        ))

    def forward(self, x, cos, sin):
        x = x + self.attn(self.norm_1(x), cos, sin)
        u = self.norm_2(x)
        g = self.mlp["gate"](u)
        return x + self.mlp["down"](g * torch.sigmoid(g) * self.mlp["up"](u))
