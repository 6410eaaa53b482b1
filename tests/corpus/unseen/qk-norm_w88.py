from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def unit(u: Tensor, gain: Tensor) -> Tensor:
    """Every head's vector by itself; u is (batch, heads, length, head_dim)."""
    return F.normalize(u, dim=-1, eps=1e-6) * gain


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.q_gain = nn.Parameter(torch.ones(self.head_dim))
        self.k_gain = nn.Parameter(torch.ones(self.head_dim))
        self.proj = nn.Linear(hidden_dim, hidden_dim)

    def heads(self, x: Tensor) -> list[Tensor]:
        return [t.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2) for t in self.qkv(x).chunk(3, -1)]

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.heads(x)
        logits = torch.einsum("bhid,bhjd->bhij", unit(q, self.q_gain), unit(k, self.k_gain)) / self.head_dim**0.5
        n = logits.size(-1)
        past = torch.ones(n, n, dtype=torch.bool, device=x.device).tril()
        weights = logits.where(past, torch.full_like(logits, float("-inf"))).softmax(-1)
        return self.proj(torch.einsum("bhij,bhjd->bihd", weights, v).flatten(2))
