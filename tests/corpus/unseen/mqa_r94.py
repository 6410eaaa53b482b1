from typing import Optional

import torch
import torch.nn as nn


class MultiQueryAttention(nn.Module):
    """All heads' queries are stacked as rows, so that each sample is one single matrix product."""

    def __init__(self, hidden_dim: int, num_heads: int):
        super().__init__()
        if hidden_dim % num_heads:
            raise ValueError(f"{hidden_dim} does not divide into {num_heads} heads")
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, hidden_dim + 2 * self.head_dim)
        self.proj = nn.Linear(hidden_dim, hidden_dim)

    def _bias(self, mask: Optional[torch.Tensor], like: torch.Tensor, n: int) -> torch.Tensor:
        b, h = like.size(0), self.num_heads
        bias = like.new_zeros(b, h, n, n)
        if mask is not None:
            bias.masked_fill_(mask.expand(b, h, n, n).eq(0), float("-inf"))
        return bias.view(b, h * n, n)

    def forward(self, x: torch.Tensor, attention_mask: Optional[torch.Tensor] = None) -> torch.Tensor:
        b, n, c = x.shape
        h, d = self.num_heads, self.head_dim
        q, k, v = torch.split(self.qkv(x), [c, d, d], dim=-1)
        rows = q.reshape(b, n, h, d).permute(0, 2, 1, 3).reshape(b, h * n, d)
        scores = torch.baddbmm(self._bias(attention_mask, rows, n), rows, k.transpose(1, 2), alpha=d ** -0.5)
        mixed = torch.bmm(scores.softmax(dim=2), v)
        merged = mixed.view(b, h, n, d).permute(0, 2, 1, 3).reshape(b, n, c)
        return self.proj(merged)
