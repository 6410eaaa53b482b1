from __future__ import annotations

import torch
from torch import Tensor, nn


class CausalSelfAttention(nn.Module):
    """GPT-style attention that never looks at keys beyond the current chunk of queries."""

    def __init__(self, hidden_dim: int, num_heads: int, block_size: int, chunk: int = 32) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.chunk = min(chunk, block_size)
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.proj = nn.Linear(hidden_dim, hidden_dim)

    def _split(self, t: Tensor) -> Tensor:
        return t.unflatten(2, (self.num_heads, self.head_dim)).transpose(1, 2)

    def forward(self, x: Tensor) -> Tensor:
        length = x.shape[1]
        q, k, v = self._split(self.query(x)), self._split(self.key(x)), self._split(self.value(x))
        if length <= self.chunk:
            pieces = [self._attend(q, k, v, 0)]
        else:
            pieces = []
            for start in range(0, length, self.chunk):
                end = min(start + self.chunk, length)
                pieces.append(
                    self._attend(q[:, :, start:end], k[:, :, :end], v[:, :, :end], end - self.chunk)
                )
        merged = torch.cat(pieces, dim=2).transpose(1, 2).flatten(2)
        return self.proj(merged)

    def _attend(self, q: Tensor, k: Tensor, v: Tensor, diagonal: int) -> Tensor:
        seen = torch.ones(q.shape[2], k.shape[2], dtype=torch.bool, device=q.device).tril(diagonal)
        scores = q @ k.mT / self.head_dim**0.5
        return scores.masked_fill(~seen, torch.finfo(scores.dtype).min).softmax(-1) @ v
