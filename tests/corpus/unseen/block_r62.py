from __future__ import annotations

from functools import reduce

import torch
from torch import Tensor, nn
from torch.func import vmap


def one_head(x: Tensor, w: Tensor) -> Tensor:
    """(length, dim) and (3, dim, head_dim) -> (length, head_dim), for one sample and one head"""
    q, k, v = x @ w
    n = len(x)
    bias = x.new_full((n, n), -torch.inf).triu(1)
    return torch.softmax(q @ k.T * q.shape[-1] ** -0.5 + bias, dim=1) @ v


heads_of_sample = vmap(one_head, in_dims=(None, 0), out_dims=1)  # (length, heads, head_dim)
heads_of_batch = vmap(heads_of_sample, in_dims=(0, None))


class Attention(nn.Module):
    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(heads, 3, dim, dim // heads) * dim**-0.5)
        self.out = nn.Linear(dim, dim)

    def forward(self, x: Tensor) -> Tensor:
        return self.out(heads_of_batch(x, self.weight).flatten(-2))


class Residual(nn.Module):
    """x + f(norm(x))"""

    def __init__(self, dim: int, f: nn.Module) -> None:
        super().__init__()
        self.norm, self.f = nn.LayerNorm(dim), f

    def forward(self, x: Tensor) -> Tensor:
        return torch.add(x, self.f(self.norm(x)))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        mlp = nn.Sequential(nn.Linear(hidden_dim, 4 * hidden_dim), nn.GELU(), nn.Linear(4 * hidden_dim, hidden_dim))
        self.steps = nn.ModuleList(Residual(hidden_dim, f) for f in (Attention(hidden_dim, num_heads), mlp))

    def forward(self, x: Tensor) -> Tensor:
        return reduce(lambda stream, step: step(stream), self.steps, x)


if __name__ == "__main__":
    block = TransformerBlock(12, 3)
    x = torch.randn(2, 7, 12)
    assert torch.allclose(block(x)[:, :4], block(x[:, :4]), atol=1e-5)
    print(block)
