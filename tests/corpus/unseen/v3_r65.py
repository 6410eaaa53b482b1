# attn-kata: v3
from __future__ import annotations

import torch
from torch import Tensor, nn


class SelfAttentionV3(nn.Module):
    """Channels first inside: the projections are 1x1 convolutions, positions are the last axis."""

    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.hidden_dim = hidden_dim
        self.mix_in = nn.Conv1d(hidden_dim, 3 * hidden_dim, kernel_size=1, groups=1)
        self.mix_out = nn.Conv1d(hidden_dim, hidden_dim, 1)
        self.attn_drop = nn.Dropout(p=dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = self.mix_in(x.mT).split(self.hidden_dim, dim=1)          # (batch, hidden_dim, length)
        affinity = torch.bmm(k.mT, q) / self.hidden_dim ** 0.5             # (batch, key, query)
        if attention_mask is not None:
            seen = attention_mask.bool().mT
            affinity = affinity.where(seen, torch.finfo(affinity.dtype).min)
        shares = self.attn_drop(affinity.softmax(dim=1))
        return self.mix_out(torch.bmm(v, shares)).mT
