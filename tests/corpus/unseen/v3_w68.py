from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class SelfAttentionV3(nn.Module):
    """Fused in-projection, bias-form mask, out-projection."""

    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.scale = hidden_dim**-0.5
        self.in_proj = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.attn_drop = nn.Dropout(dropout)

    @staticmethod
    def _as_bias(mask: Tensor, like: Tensor) -> Tensor:
        if mask.is_floating_point():
            return mask.to(like)
        return like.new_zeros(mask.shape).masked_fill_(mask == 0, torch.finfo(like.dtype).min)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = self.in_proj(x).chunk(3, -1)
        scores = (q * self.scale).matmul(k.transpose(-2, -1))
        if attention_mask is not None:
            scores = scores + self._as_bias(attention_mask, scores)
        weights = self.attn_drop(F.softmax(scores, dim=-1))
        return self.out_proj(weights.matmul(v))
