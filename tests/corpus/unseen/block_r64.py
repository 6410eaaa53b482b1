import math

import torch
from torch import nn


class Norm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(width))
        self.shift = nn.Parameter(torch.zeros(width))
        self.eps = eps

    def forward(self, x):
        centred = x - x.mean(-1, keepdim=True)
        var = (centred * centred).mean(-1, keepdim=True)
        return centred * torch.rsqrt(var + self.eps) * self.scale + self.shift


class Gelu(nn.Module):
    def forward(self, x):
        return 0.5 * x * (1.0 + torch.erf(x / math.sqrt(2.0)))


class Head(nn.Module):
    """A single causal head, Karpathy's lecture version, mask made on the fly."""

    def __init__(self, n_embd, head_size):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)

    def forward(self, x):
        T = x.size(1)
        k, q, v = self.key(x), self.query(x), self.value(x)
        wei = q @ k.transpose(-2, -1) * k.size(-1) ** -0.5
        wei = wei + torch.full((T, T), float("-inf"), dtype=x.dtype, device=x.device).triu(1)
        return wei.softmax(dim=-1) @ v


class MultiHead(nn.Module):
    def __init__(self, n_embd, n_head):
        super().__init__()
        self.heads = nn.ModuleList([Head(n_embd, n_embd // n_head) for _ in range(n_head)])
        self.proj = nn.Linear(n_embd, n_embd)

    def forward(self, x):
        return self.proj(torch.cat([h(x) for h in self.heads], dim=-1))


class Residual(nn.Module):
    def __init__(self, width, inner):
        super().__init__()
        self.norm = Norm(width)
        self.inner = inner

    def forward(self, x):
        return x + self.inner(self.norm(x))


class TransformerBlock(nn.Sequential):
    def __init__(self, hidden_dim, num_heads):
        mlp = nn.Sequential(
            nn.Linear(hidden_dim, 4 * hidden_dim), Gelu(), nn.Linear(4 * hidden_dim, hidden_dim)
        )
        super().__init__(
            Residual(hidden_dim, MultiHead(hidden_dim, num_heads)), Residual(hidden_dim, mlp)
        )
