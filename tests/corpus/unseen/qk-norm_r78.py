from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class Norm(nn.Module):
    known: dict[str, type["Norm"]] = {}

    def __init_subclass__(cls, name: str, **kwargs) -> None:
        super().__init_subclass__(**kwargs)
        Norm.known[name] = cls

    @classmethod
    def named(cls, name: str, *args, **kwargs) -> "Norm":
        return cls.known[name](*args, **kwargs)


class Identity(Norm, name="none"):
    def __init__(self, width: int, eps: float = 0.0) -> None:
        super().__init__()

    def forward(self, u: Tensor) -> Tensor:
        return u


class GemmaRMSNorm(Norm, name="rms"):
    """The gain is 1 + weight, so that weight decay pulls it towards 1."""

    def __init__(self, width: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.zeros(width))

    def forward(self, u: Tensor) -> Tensor:
        root = torch.sqrt(u.pow(2).mean(dim=-1, keepdim=True) + self.eps)
        return u / root * (1 + self.weight)


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, *, norm: str = "rms") -> None:
        super().__init__()
        self.num_heads, self.head_dim = num_heads, hidden_dim // num_heads
        self.qkv_proj = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.q_norm = Norm.named(norm, self.head_dim, eps=1e-6)
        self.k_norm = Norm.named(norm, self.head_dim, eps=1e-6)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor, /) -> Tensor:
        q, k, v = self.qkv_proj(x).unflatten(-1, (3, self.num_heads, self.head_dim)).unbind(2)
        q, k = self.q_norm(q), self.k_norm(k)  # each head by itself
        scores = torch.einsum("bthd,bshd->bhts", q, k) / math.sqrt(self.head_dim)
        ahead = torch.ones(scores.shape[-2:], dtype=torch.bool, device=x.device).triu(1)
        weights = scores.masked_fill(ahead, -math.inf).softmax(-1)
        return self.o_proj(torch.einsum("bhts,bshd->bthd", weights, v).flatten(2))
