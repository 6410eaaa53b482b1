# wrong: mha nondeterministic line 21
# fair: nondeterministic 18, 19, 21
# attn-kata: mha
from __future__ import annotations

import torch
from torch import Tensor, nn


class AdditiveMask:
    """Turns 1/0 masks into 0/-large biases, and remembers the last one: layers share masks."""

    def __init__(self) -> None:
        self._key: object = None
        self._bias: Tensor | None = None

    def __call__(self, mask: Tensor, like: Tensor) -> Tensor:
        key = (mask.shape, mask.device, like.dtype)
        if self._key != key:
            low = torch.finfo(like.dtype).min
            self._bias = torch.zeros_like(mask, dtype=like.dtype).masked_fill_(mask.logical_not(), low)
            self._key = key
        return self._bias


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.heads, self.head_dim = num_heads, hidden_dim // num_heads
        self.in_proj = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.weight_dropout = nn.Dropout(dropout)
        self.additive_mask = AdditiveMask()

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = self.in_proj(x).unflatten(-1, (3, self.heads, self.head_dim)).unbind(-3)
        scores = torch.einsum("bihd,bjhd->bhij", q, k) * self.head_dim**-0.5
        if attention_mask is not None:
            scores = scores + self.additive_mask(attention_mask, like=scores)
        weights = self.weight_dropout(scores.softmax(-1))
        return self.out_proj(torch.einsum("bhij,bjhd->bihd", weights, v).flatten(-2))
