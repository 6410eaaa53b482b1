from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class LazyCausalMaskMixin:
    """Builds the mask on first use, one per device, at full block size."""

    block_size: int

    def causal_mask(self, length: int, device: torch.device) -> Tensor:
        masks = self.__dict__.setdefault("_masks", {})
        if device not in masks:
            ones = torch.ones(self.block_size, self.block_size, dtype=torch.bool, device=device)
            masks[device] = ones.tril_()
        return masks[device][:length, :length]


class SplitHeadsMixin:
    num_heads: int

    def to_heads(self, t: Tensor) -> Tensor:
        batch, length, width = t.shape
        return (
            t.reshape(batch, length, self.num_heads, width // self.num_heads)
            .permute(0, 2, 1, 3)
            .reshape(batch * self.num_heads, length, width // self.num_heads)
        )

    def from_heads(self, t: Tensor) -> Tensor:
        folded, length, head_dim = t.shape
        return (
            t.view(folded // self.num_heads, self.num_heads, length, head_dim)
            .permute(0, 2, 1, 3)
            .reshape(folded // self.num_heads, length, self.num_heads * head_dim)
        )


class CausalSelfAttention(SplitHeadsMixin, LazyCausalMaskMixin, nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        if hidden_dim % num_heads:
            raise ValueError("hidden_dim is not a multiple of num_heads")
        self.num_heads, self.block_size = num_heads, block_size
        self.query_key = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim, hidden_dim)

    @property
    def scale(self) -> float:
        return 1 / math.sqrt(self.value.out_features // self.num_heads)

    def forward(self, x: Tensor) -> Tensor:
        query, key = map(self.to_heads, self.query_key(x).chunk(2, dim=-1))
        value = self.to_heads(self.value(x))
        scores = torch.bmm(query, key.transpose(1, 2)) * self.scale
        allowed = self.causal_mask(x.shape[1], x.device)
        scores = scores.masked_fill(allowed.logical_not(), torch.finfo(scores.dtype).min)
        return self.output(self.from_heads(torch.bmm(torch.softmax(scores, dim=2), value)))
