# attn-kata: causal
from __future__ import annotations

import torch
from torch import Tensor, nn


class CausalSelfAttention(nn.Module):
    """Queries go through in slices, so that only (chunk, length) scores are alive at a time."""

    CHUNK = 16

    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.block_size = block_size
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wkv = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)

    def _heads(self, t: Tensor) -> Tensor:
        return t.view(*t.shape[:2], self.num_heads, self.head_dim).transpose(1, 2)

    def _attend(self, q: Tensor, k: Tensor, v: Tensor, start: int) -> Tensor:
        scores = q @ k.transpose(-2, -1)
        rows, cols = scores.shape[-2:]
        visible = torch.ones(rows, cols, dtype=torch.bool, device=q.device).tril()
        return scores.masked_fill(~visible, float("-inf")).softmax(dim=-1) @ v

    def forward(self, x: Tensor) -> Tensor:
        length = x.size(1)
        q = self._heads(self.wq(x)) * self.head_dim**-0.5
        k, v = (self._heads(t) for t in self.wkv(x).chunk(2, dim=-1))

        pieces = []
        for start in range(0, length, self.CHUNK):
            stop = min(start + self.CHUNK, length)
            # keys after `stop` are never visible to this slice
            pieces.append(self._attend(q[:, :, start:stop], k[:, :, :stop], v[:, :, :stop], start))
        out = torch.cat(pieces, dim=2)
        return self.wo(out.transpose(1, 2).flatten(2))
