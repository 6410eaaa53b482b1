from __future__ import annotations

import torch
from torch import Tensor, nn


class CausalSelfAttention(nn.Module):
    """The mask starts out as one entry and grows with the longest sequence seen."""

    mask: Tensor

    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.block_size = block_size
        self.register_buffer("mask", torch.ones(1, 1, dtype=torch.bool), persistent=False)
        # per head: its query, key and value side by side
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)

    def _visible(self, length: int) -> Tensor:
        assert length <= self.block_size
        if self.mask.shape[0] < length:
            room = min(self.block_size, 2 * length)
            self.mask = torch.ones(room, room, dtype=torch.bool, device=self.mask.device).tril()
        return self.mask[:length, :length]

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        if length == 1:
            # one key only: its weight is 1, whatever the score
            return self.qkv(x).view(batch, 1, self.num_heads, 3, -1)[:, :, :, 2].flatten(2)
        packed = self.qkv(x).view(batch, length, self.num_heads, 3, width // self.num_heads)
        q, k, v = packed.permute(3, 0, 2, 1, 4).unbind()
        scores = torch.einsum("bhid,bhjd->bhij", q, k) * q.shape[-1] ** -0.5
        weights = scores.masked_fill(self._visible(length).logical_not(), -torch.inf).softmax(dim=-1)
        return torch.einsum("bhij,bhjd->bihd", weights, v).flatten(2)
