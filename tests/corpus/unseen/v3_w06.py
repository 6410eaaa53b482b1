from __future__ import annotations

import torch
from torch import Tensor, nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.dropout = nn.Dropout(dropout)

    @staticmethod
    def _mask(scores: Tensor, attention_mask: Tensor | None) -> Tensor:
        if attention_mask is None:
            return scores
        if attention_mask.dtype == torch.bool:
            scores = scores.masked_fill(attention_mask.logical_not(), -torch.inf)
        else:
            scores = scores + attention_mask
        return scores

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = self.qkv(x).tensor_split(3, dim=-1)
        scores = self._mask(q @ k.mT / q.size(-1) ** 0.5, attention_mask)
        return self.out(self.dropout(scores.softmax(-1)) @ v)
