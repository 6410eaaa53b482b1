from __future__ import annotations

import torch
from torch import Tensor, nn


class RMSNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(dim))
        self.eps = eps

    def forward(self, u: Tensor) -> Tensor:
        rms = torch.sqrt(torch.mean(u * u, dim=-1, keepdim=True) + self.eps)
        return u / rms * self.scale


class QKNorm(nn.Module):
    """Two norms, called together, as in Flux."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.query_norm = RMSNorm(dim)
        self.key_norm = RMSNorm(dim)

    def forward(self, q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
        return self.query_norm(q), self.key_norm(k)


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.scale = (hidden_dim // num_heads) ** -0.5
        self.qkv = nn.Linear(hidden_dim, hidden_dim * 3)
        self.norm = QKNorm(hidden_dim // num_heads)
        self.proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        B, L, C = x.shape
        q, k, v = self.qkv(x).reshape(B, L, 3, self.num_heads, -1).permute(2, 0, 3, 1, 4)
        q = q * self.scale
        q, k = self.norm(q, k)
        attn = q @ k.transpose(-2, -1)
        attn = attn + torch.full((L, L), float("-inf"), dtype=x.dtype, device=x.device).triu(1)
        attn = attn.softmax(dim=-1)
        return self.proj((attn @ v).transpose(1, 2).reshape(B, L, C))
