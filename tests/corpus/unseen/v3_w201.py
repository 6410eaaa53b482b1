from __future__ import annotations

import torch
from torch import Tensor, nn


class SelfAttentionV3(nn.Module):
    """Unnormalised numerators all the way, one division at the end."""

    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.drop = nn.Dropout(dropout)
        mk = lambda: nn.Linear(hidden_dim, hidden_dim)  # noqa: E731
        self.wq, self.wk, self.wv, self.wo = mk(), mk(), mk(), mk()

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = self.wq(x), self.wk(x), self.wv(x)
        z = q @ k.mT * q.size(-1) ** -0.5
        if attention_mask is not None:
            z = z.masked_fill(attention_mask.logical_not(), -torch.inf)
        e = (z - z.amax(-1, keepdim=True).detach()).exp()
        e = self.drop(e)
        total = e.sum(-1, keepdim=True).clamp(min=torch.finfo(e.dtype).tiny)
        return self.wo(e @ v / total)
