import math
from dataclasses import dataclass, field

import torch
import torch.nn as nn


@dataclass(eq=False)
class Lambda(nn.Module):
    size: int
    init: float

    def __post_init__(self):
        nn.Module.__init__(self)
        self.q = nn.ParameterList([nn.Parameter(torch.randn(self.size) / 10) for _ in "12"])
        self.k = nn.ParameterList([nn.Parameter(torch.randn(self.size) / 10) for _ in "12"])

    @property
    def value(self):
        # one number for all heads
        one, two = (torch.dot(q, k).item() for q, k in zip(self.q, self.k))
        return math.exp(one) - math.exp(two) + self.init


class RootMeanSquare(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(n))

    def forward(self, z):
        return self.gain * z / (z.square().mean(-1, True) + 1e-5).sqrt()


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        self.num_heads = num_heads
        self.d = hidden_dim // (2 * num_heads)
        self.lambda_init = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.lam = Lambda(self.d, self.lambda_init)
        self.to_q = nn.Linear(hidden_dim, hidden_dim)
        self.to_k = nn.Linear(hidden_dim, hidden_dim)
        self.to_v = nn.Linear(hidden_dim, hidden_dim)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)
        self.head_norm = RootMeanSquare(2 * self.d)

    def forward(self, x):
        B, T, C = x.shape
        H, d = self.num_heads, self.d
        q = self.to_q(x).reshape(B, T, H, 2, d).permute(3, 0, 2, 1, 4)  # (2, B, H, T, d)
        k = self.to_k(x).reshape(B, T, H, 2, d).permute(3, 0, 2, 4, 1)  # (2, B, H, d, T)
        v = self.to_v(x).reshape(B, T, H, 2 * d).transpose(1, 2)

        s = torch.matmul(q, k) / d**0.5
        upper = torch.triu_indices(T, T, 1, device=x.device)
        s[..., upper[0], upper[1]] = float("-inf")
        a1, a2 = torch.softmax(s, -1)

        y = a1 @ v - self.lam.value * (a2 @ v)
        y = (1 - self.lambda_init) * self.head_norm(y)
        return self.to_out(y.transpose(1, 2).reshape(B, T, C))
