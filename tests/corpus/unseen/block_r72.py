"""Pre-norm block in the manner of a Flax module: one residual wrapper, sublayers passed in."""
from functools import partial
from typing import Callable

import torch
import torch.nn.functional as F
from torch import nn


class Residual(nn.Module):
    def __init__(self, dim: int, fn: nn.Module):
        super().__init__()
        self.norm = nn.LayerNorm((dim,), eps=1e-5)
        self.fn = fn

    def forward(self, x):
        return torch.add(x, self.fn(self.norm(x)))


class Attention(nn.Module):
    def __init__(self, dim: int, heads: int):
        super().__init__()
        self.heads = heads
        # [3, heads, head_dim, in] and back
        self.qkv = nn.Parameter(torch.randn(3, heads, dim // heads, dim) * dim**-0.5)
        self.out = nn.Parameter(torch.randn(dim, heads, dim // heads) * dim**-0.5)

    def forward(self, x):
        q, k, v = torch.einsum("btc,nhdc->nbhtd", x, self.qkv)
        logits = torch.einsum("bhtd,bhsd->bhts", q, k) * q.shape[-1] ** -0.5
        t = x.shape[1]
        causal = torch.ones((t, t), dtype=torch.bool, device=x.device).tril_()
        logits = torch.where(causal, logits, torch.finfo(logits.dtype).min)
        ctx = torch.einsum("bhts,bhsd->bthd", torch.softmax(logits, -1), v)
        return torch.einsum("bthd,chd->btc", ctx, self.out)


class Mlp(nn.Sequential):
    def __init__(self, dim: int, widen: int = 4, dense: Callable = partial(nn.Linear, bias=True)):
        super().__init__(dense(dim, widen * dim), nn.GELU(approximate="none"), dense(widen * dim, dim))


class TransformerBlock(nn.Sequential):
    def __init__(self, hidden_dim: int, num_heads: int):
        super().__init__(
            Residual(hidden_dim, Attention(hidden_dim, num_heads)),
            Residual(hidden_dim, Mlp(hidden_dim)),
        )


if __name__ == "__main__":
    block = TransformerBlock(32, 4)
    print(block(torch.randn(2, 7, 32)).shape)
