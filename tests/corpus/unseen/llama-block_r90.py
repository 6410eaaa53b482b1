from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def rms(u: Tensor, weight: Tensor) -> Tensor:
    return u * torch.rsqrt(u.square().mean(-1, keepdim=True) + 1e-5) * weight


def spin(u: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """u is (batch, length, heads, head_dim)"""
    cos, sin = cos[:, None], sin[:, None]
    a, b = u.unflatten(-1, (2, -1)).unbind(-2)
    return torch.stack((a * cos - b * sin, b * cos + a * sin), dim=-2).flatten(-2)


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int) -> None:
        super().__init__()
        self.head_dim = hidden_dim // num_heads
        self.kv = num_kv_heads
        shapes = {
            "q": (hidden_dim, hidden_dim),
            "k": (num_kv_heads * self.head_dim, hidden_dim),
            "v": (num_kv_heads * self.head_dim, hidden_dim),
            "o": (hidden_dim, hidden_dim),
            "gate": (mlp_dim, hidden_dim),
            "up": (mlp_dim, hidden_dim),
            "down": (hidden_dim, mlp_dim),
        }
        self.weights = nn.ParameterDict({n: nn.Parameter(torch.randn(s) * s[1] ** -0.5) for n, s in shapes.items()})
        self.weights["norm1"] = nn.Parameter(torch.ones(hidden_dim))
        self.weights["norm2"] = nn.Parameter(torch.ones(hidden_dim))

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        w = self.weights
        n = x.shape[1]
        u = rms(x, w["norm1"])
        q, k, v = (F.linear(u, w[name]).unflatten(-1, (-1, self.head_dim)) for name in "qkv")
        q, k = spin(q, cos, sin), spin(k, cos, sin)
        q = q.unflatten(2, (self.kv, -1))
        scores = torch.einsum("bigrd,bjgd->bgrij", q, k) / self.head_dim**0.5
        scores = scores.masked_fill(torch.ones(n, n, device=x.device, dtype=torch.bool).triu(1), float("-inf"))
        mixed = torch.einsum("bgrij,bjgd->bigrd", scores.softmax(-1), v).flatten(2)
        h = x + F.linear(mixed, w["o"])
        u = rms(h, w["norm2"])
        return h + F.linear(F.silu(F.linear(u, w["gate"])) * F.linear(u, w["up"]), w["down"])
