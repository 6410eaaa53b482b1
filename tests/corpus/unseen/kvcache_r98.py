from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

Page = tuple[Tensor, Tensor]


class CachedSelfAttention(nn.Module):
    """The cache is a tuple of pages, (key, value) of one call each, the newest first."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.heads = num_heads
        self.root = (hidden_dim // num_heads) ** 0.5
        self.w = nn.ParameterList(
            nn.Parameter(torch.randn(hidden_dim, hidden_dim) / hidden_dim ** 0.5) for _ in range(4)
        )

    def _part(self, x: Tensor, which: int) -> Tensor:
        return F.linear(x, self.w[which]).unflatten(-1, (self.heads, -1)).movedim(-2, 1)

    def forward(self, x: Tensor, cache: tuple[Page, ...] | None = None) -> tuple[Tensor, tuple[Page, ...]]:
        query, key, value = (self._part(x, which) for which in range(3))
        pages = ((key, value), *(cache or ()))
        # The newest page is looked at under a triangle, all others in full.
        logits = [query @ k.mT / self.root for k, _ in pages]
        length = x.shape[1]
        later = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)
        logits[0] = logits[0].masked_fill(later, float("-inf"))
        weights = torch.cat(logits, dim=-1).softmax(dim=-1)
        context = 0
        for share, (_, v) in zip(weights.split([k.shape[2] for k, _ in pages], dim=-1), pages):
            context = context + share @ v
        return F.linear(context.movedim(1, -2).flatten(-2), self.w[3]), pages
