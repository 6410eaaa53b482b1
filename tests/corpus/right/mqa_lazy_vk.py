# right: mqa
from __future__ import annotations

import torch
from torch import Tensor, nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.heads = num_heads
        self.d = hidden_dim // num_heads
        self.merge = nn.LazyLinear(hidden_dim)
        self.vk = nn.LazyLinear(2 * self.d, bias=False)
        self.ask = nn.LazyLinear(num_heads * self.d, bias=False)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        b, t, c = x.shape
        v, k = self.vk(x).view(b, 1, t, 2 * self.d).chunk(2, -1)
        q = self.ask(x).view(b, t, self.heads, self.d).transpose(1, 2)
        s = (q * self.d**-0.5) @ k.mT
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, float("-inf"))
        y = s.softmax(-1) @ v
        return self.merge(y.transpose(1, 2).flatten(2))
