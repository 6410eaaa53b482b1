# attn-kata: causal
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class CausalSelfAttention(nn.Module):
    """The mask is made once, lazily, on the right device."""

    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.block_size = block_size
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.proj = nn.Linear(hidden_dim, hidden_dim)
        self._mask: Tensor | None = None

    def causal_mask(self, length: int, device: torch.device) -> Tensor:
        if self._mask is None or self._mask.device != device:
            self._mask = torch.ones(length, length, dtype=torch.bool, device=device).tril()
        return self._mask[:length, :length]

    def forward(self, x: Tensor) -> Tensor:
        batch, length, hidden = x.shape
        assert length <= self.block_size, "sequence longer than block_size"

        def heads(t: Tensor) -> Tensor:
            return t.view(batch, length, self.num_heads, self.head_dim).transpose(1, 2)

        q, k, v = heads(self.query(x)), heads(self.key(x)), heads(self.value(x))
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.head_dim)
        allowed = self.causal_mask(length, x.device)
        scores = scores.masked_fill(allowed.logical_not(), float("-inf"))
        context = torch.matmul(scores.softmax(dim=-1), v)
        return self.proj(context.transpose(1, 2).reshape(batch, length, hidden))
