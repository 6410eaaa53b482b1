from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class CausalSelfAttention(nn.Module):
    """Mask made lazily, on the device of the first input; a shorter input takes a corner of it."""

    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.block_size = block_size
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self._mask: Tensor | None = None

    def causal_mask(self, t: int, device: torch.device) -> Tensor:
        if self._mask is None or self._mask.device != device:
            self._mask = torch.ones(t, t, dtype=torch.bool, device=device).tril_()
        if self._mask.size(0) >= t:
            return self._mask[:t, :t]
        grow = t - self._mask.size(0)
        return F.pad(self._mask, (0, grow, 0, grow), value=True)

    def forward(self, x: Tensor) -> Tensor:
        b, t, c = x.shape
        q, k, v = (f(x).reshape(b, t, self.num_heads, -1).transpose(1, 2) for f in (self.q, self.k, self.v))
        scores = q.matmul(k.mT) / q.size(-1) ** 0.5
        scores = scores.masked_fill(~self.causal_mask(t, x.device), -torch.inf)
        return self.o(scores.softmax(-1).matmul(v).transpose(1, 2).reshape(b, t, c))
