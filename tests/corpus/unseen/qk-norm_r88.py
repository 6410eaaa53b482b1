from __future__ import annotations

import torch
from torch import Tensor, nn


class GemmaRMSNorm(nn.Module):
    """The gain is stored less 1, so that it starts at zeros and weight decay pulls it to 1."""

    def __init__(self, dim: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.zeros(dim))

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        square = torch.einsum("...d,...d->...", wide, wide).unsqueeze(-1)
        wide = wide / torch.sqrt(square / x.shape[-1] + self.eps)
        return (wide * (1.0 + self.weight.to(wide.dtype))).to(x.dtype)


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_norm, self.k_norm = GemmaRMSNorm(self.head_dim), GemmaRMSNorm(self.head_dim)
        self.qkv_proj = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        # batch, length, role, head, head_dim
        roles = self.qkv_proj(x).unflatten(-1, (3, self.num_heads, self.head_dim))
        q = self.q_norm(roles.select(2, 0))
        k = self.k_norm(roles.select(2, 1))
        v = roles.select(2, 2)

        positions = torch.arange(x.size(1), device=x.device)
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / self.head_dim**0.5
        scores = scores.where(positions[:, None] >= positions, float("-inf"))
        mixed = torch.einsum("bhqk,bkhd->bqhd", torch.softmax(scores, -1), v)
        return self.o_proj(mixed.flatten(start_dim=2))
