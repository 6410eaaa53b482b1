# attn-kata: attention-module
from __future__ import annotations

from dataclasses import asdict, dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclass
class MHAConfig:
    embed_dim: int
    num_heads: int
    dropout: float = 0.0
    bias: bool = True

    @property
    def head_dim(self) -> int:
        return self.embed_dim // self.num_heads


class MaskMixin:
    @staticmethod
    def joined(scores: Tensor, key_padding_mask: Tensor | None, attn_mask: Tensor | None) -> Tensor:
        """scores is (batch, heads, target, source)"""
        if key_padding_mask is not None:
            scores = scores.masked_fill(key_padding_mask[:, None, None], -torch.inf)
        if attn_mask is None:
            return scores
        if attn_mask.dim() == 3:
            attn_mask = attn_mask.unflatten(0, scores.shape[:2])
        if attn_mask.is_floating_point():
            return scores + attn_mask
        return scores.masked_fill(attn_mask, -torch.inf)


class MultiheadAttention(MaskMixin, nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.config = MHAConfig(embed_dim, num_heads, dropout, bias)
        self.projections = nn.ModuleDict()
        for name in ("q", "k", "v", "o"):
            self.projections[name] = nn.Linear(embed_dim, embed_dim, bias=self.config.bias)

    def extra_repr(self) -> str:
        return ", ".join(f"{k}={v}" for k, v in asdict(self.config).items())

    def _heads(self, name: str, x: Tensor) -> Tensor:
        cfg = self.config
        return self.projections[name](x).reshape(*x.shape[:2], cfg.num_heads, cfg.head_dim).permute(0, 2, 1, 3)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
                average_attn_weights=True):
        q, k, v = self._heads("q", query), self._heads("k", key), self._heads("v", value)
        scores = torch.matmul(q, k.mT) / self.config.head_dim ** 0.5
        probs = self.joined(scores, key_padding_mask, attn_mask).softmax(dim=-1)
        dropped = F.dropout(probs, self.config.dropout)
        mixed = torch.matmul(dropped, v).permute(0, 2, 1, 3).flatten(start_dim=2)
        output = self.projections["o"](mixed)
        if not need_weights:
            return output, None
        if average_attn_weights:
            probs = probs.sum(dim=1) / self.config.num_heads
        return output, probs
