import math

import torch
from torch import nn


class Lambda(nn.Module):
    def __init__(self, f):
        super().__init__()
        self.f = f

    def forward(self, x):
        return self.f(x)


class Plus(nn.Sequential):
    def forward(self, x):
        return x + super().forward(x)


def attend(heads):
    def f(qkv):
        b, t, _ = qkv.shape
        k, q, v = qkv.view(b, t, 3, heads, -1).permute(2, 0, 3, 1, 4)
        s = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        s = s.masked_fill(torch.ones(t, t, device=s.device).triu(1) == 1, -math.inf)
        return (s.softmax(-1) @ v).transpose(1, 2).flatten(2)

    return f


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        d = hidden_dim
        self.net = nn.Sequential(
            Plus(nn.LayerNorm(d), nn.Linear(d, 3 * d), Lambda(attend(num_heads)), nn.LazyLinear(d)),
            Plus(nn.LayerNorm(d), nn.LazyLinear(4 * d), nn.GELU(), nn.LazyLinear(d)),
        )

    def forward(self, x):
        return self.net(x)
