"""Multi-query attention, queries of all heads folded into one long sequence."""
from __future__ import annotations

from typing import Optional

import torch
from torch import Tensor, nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.hidden_dim: int = hidden_dim
        self.num_heads: int = num_heads
        # [ k | v | q ]: the small ones first
        self.in_proj: nn.Linear = nn.Linear(hidden_dim, hidden_dim + 2 * self.head_dim, bias=False)
        self.out_proj: nn.Linear = nn.Linear(hidden_dim, hidden_dim, bias=True)

    @property
    def head_dim(self) -> int:
        return self.hidden_dim // self.num_heads

    @property
    def _sizes(self) -> list[int]:
        return [self.head_dim, self.head_dim, self.hidden_dim]

    def forward(self, x: Tensor, attention_mask: Optional[Tensor] = None) -> Tensor:
        assert x.ndim == 3 and x.shape[2] == self.hidden_dim
        b, t, _ = x.shape
        h, d = self.num_heads, self.head_dim

        k, v, q = self.in_proj(x).split(self._sizes, dim=-1)
        assert k.shape == v.shape == (b, t, d)
        rows: Tensor = q.reshape(b, t * h, d)  # row t*h + head
        scores: Tensor = torch.bmm(rows, k.transpose(1, 2)) * d**-0.5
        assert scores.shape == (b, t * h, t)

        if attention_mask is not None:
            assert attention_mask.ndim == 4
            full: Tensor = attention_mask.expand(b, h, t, t).transpose(1, 2).reshape(b, t * h, t)
            scores = scores.masked_fill(full == 0, torch.finfo(scores.dtype).min)

        context: Tensor = torch.bmm(scores.softmax(dim=-1), v)
        return self.out_proj(context.reshape(b, t, h * d))


def test_shapes() -> None:
    net = MultiQueryAttention(12, 3)
    for t in (1, 2, 7):
        x = torch.randn(2, t, 12)
        for mask in (None, torch.ones(2, 3, t, t), torch.ones(2, 1, 1, t, dtype=torch.bool)):
            assert net(x, mask).shape == x.shape


if __name__ == "__main__":
    test_shapes()
