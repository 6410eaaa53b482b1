import torch
from torch import nn


class Norm(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.g = nn.Parameter(torch.ones(n))

    def forward(self, x):
        return x * (x.pow(2).mean(-1, keepdim=True) + 1e-5).rsqrt() * self.g


class Attn(nn.Module):
    def __init__(self, c, h, hk):
        super().__init__()
        self.h, self.hk, self.d = h, hk, c // h
        self.q = nn.Linear(c, c)
        self.kv = nn.Linear(c, 2 * hk * self.d)
        self.o = nn.Linear(c, c)

    def forward(self, x, cos, sin):
        def rot(z):  # b t h d
            a, b = z.split(self.d // 2, -1)
            c, s = cos[None, :, None], sin[None, :, None]
            return torch.cat((a * c - b * s, a * s + b * c), -1)

        b, t, _ = x.shape
        q = rot(self.q(x).reshape(b, t, self.h, self.d))
        k, v = self.kv(x).reshape(b, t, 2, self.hk, self.d).unbind(2)
        q = q.reshape(b, t, self.hk, self.h // self.hk, self.d)
        w = torch.einsum("bikgd,bjkd->bkgij", q, rot(k)) * self.d**-0.5
        w = w.masked_fill(torch.ones_like(w[0, 0, 0], dtype=torch.bool).triu(1), -torch.inf)
        return self.o(torch.einsum("bkgij,bjkd->bikgd", w.softmax(-1), v).reshape(b, t, -1))


class GLU(nn.Module):
    def __init__(self, c, m):
        super().__init__()
        self.gate, self.up, self.down = nn.Linear(c, m), nn.Linear(c, m), nn.Linear(m, c)

    def forward(self, x):
        return self.down(nn.functional.silu(self.gate(x)) * self.up(x))


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        self.n1, self.n2 = Norm(hidden_dim), Norm(hidden_dim)
        self.attn = Attn(hidden_dim, num_heads, num_kv_heads)
        self.mlp = GLU(hidden_dim, mlp_dim)

    def forward(self, x, cos, sin):
        h = x + self.attn(self.n1(x), cos, sin)
        return h + self.mlp(self.n2(x))
