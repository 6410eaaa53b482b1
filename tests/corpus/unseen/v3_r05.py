from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn


def _hide(logits: torch.Tensor, allowed: torch.Tensor | None) -> torch.Tensor:
    if allowed is None:
        return logits
    return torch.where(allowed != 0, logits, logits.new_full((), float("-inf")))


class SelfAttentionV3(nn.Module):
    """Fused projection laid out as [value | query | key]."""

    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.vqk = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.mix = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.p_drop = dropout

    def forward(self, x, attention_mask=None):
        value, query, key = self.vqk(x).tensor_split(3, dim=-1)
        width = query.size(-1)
        logits = _hide((query / width**0.5) @ key.transpose(-2, -1), attention_mask)
        probs = F.dropout(logits.softmax(-1), p=self.p_drop, training=self.training)
        return self.mix(probs @ value)
