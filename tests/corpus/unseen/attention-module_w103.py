from __future__ import annotations

import math
from typing import Optional, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class OneHead(nn.Module):
    def __init__(self, width: int, size: int, bias: bool):
        super().__init__()
        self.to_q = nn.Linear(width, size, bias=bias)
        self.to_k = nn.Linear(width, size, bias=bias)
        self.to_v = nn.Linear(width, size, bias=bias)
        self.size = size

    def forward(self, q, k, v, extra):
        logits = self.to_q(q) @ self.to_k(k).transpose(-2, -1) / math.sqrt(self.size)
        if extra is not None:
            logits = logits + extra
        w = F.softmax(logits, dim=-1)
        return w, self.to_v(v)


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True):
        super().__init__()
        self.p = dropout
        self.heads = nn.ModuleList(OneHead(embed_dim, embed_dim // num_heads, bias) for _ in range(num_heads))
        self.out = nn.Linear(embed_dim, embed_dim, bias=bias)

    @staticmethod
    def as_float(mask: Tensor, like: Tensor) -> Tensor:
        if mask.dtype != torch.bool:
            return mask
        return torch.zeros(mask.shape, dtype=like.dtype, device=like.device).masked_fill(mask, -math.inf)

    def extra_for(self, h: int, query, kpm, attn_mask) -> Optional[Tensor]:
        extra = None
        if attn_mask is not None:
            extra = self.as_float(attn_mask, query)
            if extra.ndim == 3:
                extra = extra[h :: len(self.heads)]
        if kpm is not None:
            pad = self.as_float(kpm, query).unsqueeze(1)
            extra = pad if extra is None else extra + pad
        return extra

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Optional[Tensor] = None,
        need_weights: bool = True,
        attn_mask: Optional[Tensor] = None,
        average_attn_weights: bool = True,
    ) -> Tuple[Tensor, Optional[Tensor]]:
        contexts, all_weights, average = [], [], None
        for h, head in enumerate(self.heads):
            w, v = head(query, key, value, self.extra_for(h, query, key_padding_mask, attn_mask))
            contexts.append(F.dropout(w, self.p, self.training) @ v)
            all_weights.append(w)
            average = w if average is None else (average + w) / 2
        output = self.out(torch.cat(contexts, dim=-1))
        if not need_weights:
            return output, None
        return output, (average if average_attn_weights else torch.stack(all_weights, dim=1))
