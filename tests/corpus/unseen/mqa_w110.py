from __future__ import annotations

import torch
from torch import Tensor, nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        head_dim = hidden_dim // num_heads
        self.num_heads = num_heads
        self.scale = head_dim ** -0.5
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_kv = nn.Linear(hidden_dim, 2 * head_dim, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim, bias=False)

    @staticmethod
    def apply_mask(scores: Tensor, mask: Tensor | None) -> Tensor:
        if mask is None:
            return scores
        if mask.is_floating_point():
            return scores + mask.to(scores.dtype)
        return scores.masked_fill(~mask.bool(), torch.finfo(scores.dtype).min)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q = self.to_q(x).unflatten(-1, (self.num_heads, -1))
        k, v = self.to_kv(x).chunk(2, dim=-1)
        scores = torch.einsum("bihd,bjd->bhij", q * self.scale, k)
        weights = self.apply_mask(scores, attention_mask).softmax(dim=-1)
        heads = torch.einsum("bhij,bjd->bihd", weights, v)
        return self.to_out(heads.flatten(-2))
