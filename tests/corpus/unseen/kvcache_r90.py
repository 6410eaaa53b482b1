from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn


class CachedSelfAttention(nn.Module):
    """Only the inputs' keys and values in one tensor are kept: (2, batch, heads, n, d), never written to."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.proj = nn.ModuleDict({"q": nn.Linear(hidden_dim, hidden_dim), "kv": nn.Conv1d(hidden_dim, 2 * hidden_dim, 1)})
        self.back = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Tensor]:
        batch, fresh, width = x.shape
        h, d = self.num_heads, width // self.num_heads
        q = self.proj["q"](x).view(batch, fresh, h, d).movedim(2, 1)
        kv = self.proj["kv"](x.mT).view(batch, 2, h, d, fresh).permute(1, 0, 2, 4, 3)
        if cache is not None:
            kv = torch.cat((cache, kv), dim=-2)
        keys, values = kv
        n = keys.size(-2)

        if fresh == 1:
            shares = (keys @ q.mT / d**0.5).softmax(-2)                  # b h n 1
            y = (shares * values).sum(-2, keepdim=True)
        else:
            # old keys are open to all; among the new ones a triangle
            old, new = (q @ keys.mT / d**0.5).split([n - fresh, fresh], dim=-1)
            closed = torch.ones(fresh, fresh, dtype=torch.bool, device=x.device).triu(1)
            scores = torch.cat([old, new.masked_fill(closed, -torch.inf)], dim=-1)
            y = scores.softmax(-1) @ values
        return self.back(y.movedim(1, 2).reshape(batch, fresh, width)), kv
