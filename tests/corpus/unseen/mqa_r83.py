from __future__ import annotations
from collections import OrderedDict
from typing import Callable, Iterator

import torch
from torch import Tensor, nn


class Builder:
    """MultiQueryAttention.builder(...).head().head()...build()"""

    def __init__(self, width: int, size: int) -> None:
        self.width, self.size, self.heads = width, size, OrderedDict()

    def head(self) -> Builder:
        q, o = nn.Linear(self.width, self.size), nn.Linear(self.size, self.width, bias=False)
        self.heads[f"head{len(self.heads)}"] = nn.ModuleDict({"q": q, "o": o})
        return self

    def build(self) -> nn.ModuleDict:
        return nn.ModuleDict(self.heads)


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        size = hidden_dim // num_heads
        builder = Builder(hidden_dim, size)
        for _ in range(num_heads):
            builder.head()
        self.heads = builder.build()
        self.k, self.v = nn.Linear(hidden_dim, size), nn.Linear(hidden_dim, size)
        self.scale = size**-0.5

    @staticmethod
    def _masks(mask: Tensor | None, heads: int) -> Iterator[Callable[[Tensor], Tensor]]:
        """for each head the function that hides its scores"""
        for h in range(heads):
            if mask is None:
                yield lambda s: s
            else:
                hidden = (mask[:, h] if mask.shape[1] > 1 else mask[:, 0]) == 0
                yield lambda s, hidden=hidden: s.masked_fill(hidden, -torch.inf)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        key, value = self.k(x), self.v(x)
        total = torch.zeros_like(x)
        for head, hide in zip(self.heads.values(), self._masks(attention_mask, len(self.heads))):
            s = torch.einsum("bik,bjk->bij", head["q"](x), key) * self.scale
            total = total + head["o"](hide(s).softmax(2) @ value)
        return total
