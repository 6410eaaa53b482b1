from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class MultiheadAttention(nn.Module):
    """One head after another, so that only one map is in memory at a time."""

    def __init__(
        self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True
    ) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.dropout = dropout
        self.in_proj_weight = nn.Parameter(torch.empty(3, embed_dim, embed_dim))
        self.in_proj_bias = nn.Parameter(torch.zeros(3, embed_dim)) if bias else None
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        nn.init.normal_(self.in_proj_weight, std=embed_dim**-0.5)

    def _in(self, n: int, x: Tensor) -> list[Tensor]:
        b = None if self.in_proj_bias is None else self.in_proj_bias[n]
        return F.linear(x, self.in_proj_weight[n], b).split(self.head_dim, dim=-1)

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
        Q, K, V = self._in(0, query), self._in(1, key), self._in(2, value)
        if attn_mask is not None and attn_mask.dim() == 3:
            attn_mask = attn_mask.unflatten(0, (-1, self.num_heads)).transpose(0, 1)

        heads, maps, mean = [], [], 0.0
        for h, (q, k, v) in enumerate(zip(Q, K, V)):
            s = torch.einsum("btd,bsd->bts", q, k) / math.sqrt(self.head_dim)
            if attn_mask is not None:
                m = attn_mask if attn_mask.dim() == 2 else attn_mask[h]
                s = s.masked_fill(m, -math.inf) if m.dtype == torch.bool else s + m
            if key_padding_mask is not None:
                s = s.masked_fill(key_padding_mask.unsqueeze(1), -math.inf)
            a = torch.exp(s - torch.logsumexp(s, dim=-1, keepdim=True))

            if need_weights:
                if average_attn_weights:
                    # running mean, Welford style
                    mean = mean + (a - mean) / max(h, 1)
                else:
                    maps.append(a)
            heads.append(F.dropout(a, self.dropout, self.training) @ v)

        out = self.out_proj(torch.cat(heads, dim=-1))
        if not need_weights:
            return out, None
        return out, mean if average_attn_weights else torch.stack(maps, dim=1)
