from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        self.h = num_heads
        self.d = embed_dim // num_heads
        self.w_q = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.w_k = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.w_v = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.w_o = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.drop = nn.Dropout(dropout)

    def fold(self, t: Tensor) -> Tensor:
        b, n, _ = t.shape
        return t.view(b, n, self.h, self.d).permute(2, 0, 1, 3).reshape(self.h * b, n, self.d)

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
        b, t, e = query.shape
        s = key.shape[1]
        q = self.fold(self.w_q(query))
        k = self.fold(self.w_k(key))
        v = self.fold(self.w_v(value))
        scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(self.d)

        if attn_mask is not None:
            if attn_mask.dtype == torch.bool:
                attn_mask = torch.zeros_like(attn_mask, dtype=q.dtype).masked_fill(attn_mask, -math.inf)
            scores = scores + attn_mask
        if key_padding_mask is not None:
            scores = scores.masked_fill(key_padding_mask.repeat(self.h, 1)[:, None, :], -math.inf)

        w = self.drop(scores.softmax(-1))
        o = torch.bmm(w, v).view(self.h, b, t, self.d).permute(1, 2, 0, 3).reshape(b, t, e)
        out = self.w_o(o)
        if not need_weights:
            return out, None
        w = w.view(self.h, b, t, s).transpose(0, 1)
        return out, w.mean(1) if average_attn_weights else w
