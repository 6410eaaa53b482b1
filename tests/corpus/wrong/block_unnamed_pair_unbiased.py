# wrong: block norm-unbiased line 14
import torch
import torch.nn.functional as F
from torch import nn


class Normed(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.p = nn.Parameter(torch.ones(size))
        self.r = nn.Parameter(torch.zeros(size))

    def forward(self, x):
        spread, level = torch.var_mean(x, dim=-1, keepdim=True)
        return self.p * (x - level) * torch.rsqrt(spread + 1e-5) + self.r


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h = num_heads
        self.first, self.then = Normed(hidden_dim), Normed(hidden_dim)
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.up = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.down = nn.Linear(4 * hidden_dim, hidden_dim)

    def attend(self, x):
        B, T, D = x.shape
        q, k, v = self.qkv(x).view(B, T, 3, self.h, D // self.h).permute(2, 0, 3, 1, 4)
        later = torch.ones(T, T, dtype=torch.bool, device=x.device).triu(1)
        s = (q @ k.mT * (D // self.h) ** -0.5).masked_fill(later, float("-inf"))
        y = s.softmax(dim=-1) @ v
        return self.out(y.transpose(1, 2).reshape(B, T, D))

    def forward(self, x):
        x = x + self.attend(self.first(x))
        return x + self.down(F.gelu(self.up(self.then(x))))
