from __future__ import annotations

import torch
from torch import Tensor, nn


class SelfAttentionV2(nn.Module):
    """One head. The scale is shared between the two factors of the dot product."""

    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.hidden_dim = hidden_dim
        self.quarter_root = hidden_dim ** -0.25
        self.in_proj = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def _project(self, x: Tensor) -> tuple[Tensor, ...]:
        packed = self.in_proj(x) * self.quarter_root
        return packed.split(self.hidden_dim, dim=-1)

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = self._project(x)
        # hidden_dim ** -0.25 sits on both sides, so this is q.k / sqrt(hidden_dim)
        logits = query @ key.mT
        return self.out_proj(logits.softmax(dim=-1) @ value)
