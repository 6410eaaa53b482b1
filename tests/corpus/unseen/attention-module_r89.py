from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Optional

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclass(frozen=True)
class HeadConfig:
    embed_dim: int
    head_dim: int
    dropout: float
    bias: bool


class SafeSoftmax(nn.Module):
    """Softmax whose fully hidden rows are zero rather than NaN."""

    def forward(self, scores: Tensor) -> Tensor:
        top = scores.detach().amax(dim=-1, keepdim=True)
        top = torch.where(top.isneginf(), torch.zeros_like(top), top)
        numerators = torch.exp(scores - top)
        denominators = numerators.sum(dim=-1, keepdim=True)
        return numerators / denominators.clamp_min(torch.finfo(scores.dtype).tiny)


class AttentionHead(nn.Module):
    def __init__(self, cfg: HeadConfig) -> None:
        super().__init__()
        self.cfg = cfg
        self.query_layer = nn.Linear(cfg.embed_dim, cfg.head_dim, bias=cfg.bias)
        self.key_layer = nn.Linear(cfg.embed_dim, cfg.head_dim, bias=cfg.bias)
        self.value_layer = nn.Linear(cfg.embed_dim, cfg.head_dim, bias=cfg.bias)
        self.output_layer = nn.Linear(cfg.head_dim, cfg.embed_dim, bias=False)
        self.softmax = SafeSoftmax()

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, hidden: Tensor, added: Optional[Tensor]
    ) -> tuple[Tensor, Tensor]:
        q = self.query_layer(query) * (1.0 / math.sqrt(self.cfg.head_dim))
        k = self.key_layer(key)
        scores = torch.einsum("bte,bse->bts", q, k)
        if added is not None:
            scores = scores + added
        weights = self.softmax(scores.masked_fill(hidden, -math.inf))
        kept = F.dropout(weights, self.cfg.dropout, self.training)
        return self.output_layer(kept @ self.value_layer(value)), weights


class MultiheadAttention(nn.Module):
    def __init__(
        self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True
    ) -> None:
        super().__init__()
        cfg = HeadConfig(embed_dim, embed_dim // num_heads, dropout, bias)
        self.heads = nn.ModuleList([AttentionHead(cfg) for _ in range(num_heads)])
        self.output_bias = nn.Parameter(torch.zeros(embed_dim)) if bias else None

    def _mask_of_head(self, mask: Tensor, head: int) -> Tensor:
        # (T, S) is shared; (B * H, T, S) is sample major, so a head is every H-th entry
        return mask if mask.dim() == 2 else mask[head :: len(self.heads)]

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
    ) -> tuple[Tensor, Tensor | None]:
        batch, source = key.shape[:2]
        padding = torch.zeros(batch, 1, source, dtype=torch.bool, device=key.device)
        if key_padding_mask is not None:
            padding = padding | key_padding_mask.unsqueeze(1)

        total: Tensor | None = None
        maps: list[Tensor] = []
        for number, head in enumerate(self.heads):
            hidden, added = padding, None
            if attn_mask is not None:
                own = self._mask_of_head(attn_mask, number)
                if own.dtype is torch.bool:
                    hidden = hidden | own
                else:
                    added = own
            part, weights = head(query, key, value, hidden, added)
            total = part if total is None else total + part
            maps.append(weights)
        assert total is not None
        output = total if self.output_bias is None else total + self.output_bias

        if not need_weights:
            return output, None
        stacked = torch.stack(maps, dim=1)
        return output, stacked.mean(dim=1) if average_attn_weights else stacked
