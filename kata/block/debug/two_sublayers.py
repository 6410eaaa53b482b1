import torch
import torch.nn as nn


class Attn(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.norm = nn.LayerNorm(d)
        self.kqv = nn.Linear(d, 3 * d)
        self.proj = nn.Linear(d, d)

    def forward(self, x):
        k, q, v = self.kqv(self.norm(x)).chunk(3, -1)
        q, k, v = (t.unflatten(2, (self.h, -1)).transpose(1, 2) for t in (q, k, v))
        a = q @ k.mT * q.size(-1) ** -0.5
        a = a.masked_fill(
            ~torch.ones(a.shape[-2:], dtype=torch.bool, device=a.device).tril(), -torch.inf
        ).softmax(-1)
        return x + self.proj((a @ v).transpose(1, 2).flatten(2))


class FF(nn.Module):
    def __init__(self, d, mult=4):
        super().__init__()
        self.norm = nn.LayerNorm(d)
        self.a = nn.Linear(d, mult * d)
        self.b = nn.Linear(mult * d, d)

    def forward(self, x):
        return x + self.b(nn.functional.gelu(self.a(self.norm(x))))


class GPTLayer(nn.Sequential):
    def __init__(self, d_model, nhead):
        super().__init__(Attn(d_model, nhead), FF(d_model))
