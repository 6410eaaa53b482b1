from __future__ import annotations

import torch
from torch import Tensor, nn


class CachedSelfAttention(nn.Module):
    """The cache is a tuple of (key, value) pieces, one for each call: nothing is ever copied back."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.heads = num_heads
        self.fused = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, cache: tuple = ()) -> tuple[Tensor, tuple]:
        q, k, v = self.fused(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        pieces = (*(cache or ()), (k, v))
        keys, values = (torch.cat(side, dim=-2) for side in zip(*pieces))
        new, total = q.shape[-2], keys.shape[-2]
        own = torch.arange(total - new, total, device=x.device)
        future = torch.arange(total, device=x.device) > own[:, None]
        scores = torch.matmul(q, keys.mT) * q.shape[-1] ** -0.5
        weights = scores.masked_fill(future, float("-inf")).softmax(-1)
        return self.out((weights @ values).transpose(1, 2).flatten(2)), pieces
