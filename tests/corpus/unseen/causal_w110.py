from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def causal_bias(length: int, like: Tensor) -> Tensor:
    """0 where a key lies at or before the query, -inf where it comes later."""
    place = torch.arange(length, dtype=like.dtype, device=like.device)
    ahead = place[None, :] > place[:, None]
    return torch.zeros_like(ahead, dtype=like.dtype).masked_fill(ahead, float("-inf"))


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.block_size = block_size
        for name in ("wq", "wk", "wv", "wo"):
            weight = torch.empty(hidden_dim, hidden_dim)
            nn.init.normal_(weight, std=hidden_dim**-0.5)
            setattr(self, name, nn.Parameter(weight))

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        assert length <= self.block_size
        split = (batch, length, self.num_heads, width // self.num_heads)
        q = F.linear(x, self.wq).view(split).transpose(1, 2)
        k = F.linear(x, self.wk).view(split).transpose(1, 2)
        v = F.linear(x, self.wv).view(split).transpose(1, 2)
        scores = q @ k.transpose(2, 3) / split[-1] ** 0.5
        scores = scores + causal_bias(length, like=scores)
        mixed = scores.softmax(dim=-1) @ v
        return F.linear(mixed.transpose(1, 2).reshape(batch, length, width), self.wo)
