# attn-kata: attention-module
from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class HeadConfig:
    model_width: int
    width: int
    dropout: float = 0.0
    bias: bool = True


class Head(nn.Module):
    def __init__(self, cfg: HeadConfig):
        super().__init__()
        self.to_qkv = nn.ModuleDict(
            {name: nn.Linear(cfg.model_width, cfg.width, bias=cfg.bias) for name in ("query", "key", "value")}
        )
        self.back = nn.Linear(cfg.width, cfg.model_width, bias=False)
        self.drop = nn.Dropout(cfg.dropout)
        self.temperature = cfg.width ** 0.5

    def forward(self, inputs: dict[str, Tensor], hidden: Optional[Tensor], bonus: Optional[Tensor]):
        q, k, v = (layer(inputs[name]) for name, layer in self.to_qkv.items())
        logits = torch.einsum("btd,bsd->bts", q, k) / self.temperature
        if bonus is not None:
            logits = logits + bonus
        if hidden is not None:
            logits = logits.masked_fill(hidden, -torch.inf)
        weights = self.drop(logits.softmax(-1))
        return self.back(torch.einsum("bts,bsd->btd", weights, v)), weights


class MultiheadAttention(nn.Module):
    """The output projection is cut by heads: each head brings its own columns, results are added."""

    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        cfg = HeadConfig(embed_dim, embed_dim // num_heads, dropout=dropout, bias=bias)
        self.heads = nn.ModuleList(Head(cfg) for _ in range(num_heads))
        self.out_bias = nn.Parameter(torch.zeros(embed_dim)) if bias else None

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
                average_attn_weights=True):
        inputs = dict(query=query, key=key, value=value)
        outs, maps = [], []
        for h, head in enumerate(self.heads):
            mine = attn_mask
            if attn_mask is not None and attn_mask.ndim == 3:
                mine = attn_mask[h :: len(self.heads)]
            hidden = None if key_padding_mask is None else key_padding_mask.unsqueeze(1)
            bonus = None
            if mine is not None and mine.is_floating_point():
                bonus = mine
            elif mine is not None:
                hidden = mine if hidden is None else mine | hidden
            o, w = head(inputs, hidden, bonus)
            outs.append(o)
            maps.append(w)
        out = sum(outs)
        if self.out_bias is not None:
            out = out + self.out_bias
        if not need_weights:
            return out, None
        stacked = torch.stack(maps, dim=1)
        return out, stacked.mean(1) if average_attn_weights else stacked
