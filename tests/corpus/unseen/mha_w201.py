# attn-kata: mha
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class WeightDropper:
    """Dropout policy of one attention layer. Not a Module: it owns no parameters."""

    def __init__(self, owner: nn.Module, rate: float) -> None:
        self.rate = rate
        self.active = owner.training and rate > 0.0

    def __call__(self, weights: Tensor) -> Tensor:
        return F.dropout(weights, p=self.rate, training=self.active)


class Scorer:
    """缩放点积 + mask + softmax"""

    def __init__(self, dk: int) -> None:
        self.scale = dk**-0.5

    def scores(self, q: Tensor, k: Tensor) -> Tensor:
        return torch.einsum("bnqd,bnkd->bnqk", q, k) * self.scale

    def mask(self, scores: Tensor, mask: Tensor | None) -> Tensor:
        if mask is None:
            return scores
        return scores.masked_fill(mask.logical_not(), torch.finfo(scores.dtype).min)

    def __call__(self, q: Tensor, k: Tensor, mask: Tensor | None) -> Tensor:
        return self.mask(self.scores(q, k), mask).softmax(-1)


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.n_head = num_heads
        self.dk = hidden_dim // num_heads
        self.qkv_proj = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.scorer = Scorer(self.dk)
        self.dropper = WeightDropper(self, dropout)

    def split_heads(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.n_head, self.dk)).transpose(1, 2)

    def merge_heads(self, t: Tensor) -> Tensor:
        return t.transpose(1, 2).flatten(-2)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = map(self.split_heads, self.qkv_proj(x).chunk(3, dim=-1))
        weights = self.dropper(self.scorer(q, k, attention_mask))
        ctx = torch.einsum("bnqk,bnkd->bnqd", weights, v)
        return self.out_proj(self.merge_heads(ctx))
