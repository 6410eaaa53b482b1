from __future__ import annotations

import torch
from torch import Tensor, nn


class MultiQueryAttention(nn.Module):
    """All heads read one (batch, length, head_dim) key and value; heads live in the einsum."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads, self.head_dim = num_heads, hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wkv = nn.Linear(hidden_dim, 2 * self.head_dim, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def blocked(self, mask: Tensor) -> Tensor:
        return mask[:, :1] == 0

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q = self.wq(x).unflatten(-1, (self.num_heads, self.head_dim))
        k, v = self.wkv(x).chunk(2, dim=-1)
        scores = torch.einsum("bihd,bjd->bhij", q, k) * self.head_dim**-0.5
        if attention_mask is not None:
            scores = scores.masked_fill(self.blocked(attention_mask), float("-inf"))
        context = torch.einsum("bhij,bjd->bihd", scores.softmax(-1), v)
        return self.wo(context.flatten(2))
