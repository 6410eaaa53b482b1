# attn-kata: attention-module
from __future__ import annotations

import torch
from torch import Tensor, nn


class MultiheadAttention(nn.Module):
    """Everything runs on flat (batch * heads, rows, cols) buffers, like a cuBLAS batched gemm."""

    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"{embed_dim=} is no multiple of {num_heads=}")
        self.e, self.h, self.d = embed_dim, num_heads, embed_dim // num_heads
        self.drop_rate = dropout
        self.in_proj_weight = nn.Parameter(torch.empty(3, embed_dim, embed_dim))
        self.in_proj_bias = nn.Parameter(torch.zeros(3, embed_dim)) if bias else None
        for w in self.in_proj_weight:
            nn.init.xavier_uniform_(w.data)
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)

    def _pack(self, which: int, src: Tensor) -> Tensor:
        b, t, _ = src.shape
        bias = None if self.in_proj_bias is None else self.in_proj_bias[which]
        y = nn.functional.linear(src, self.in_proj_weight[which], bias)
        return y.view(b, t, self.h, self.d).permute(0, 2, 1, 3).reshape(b * self.h, t, self.d)

    def _additive(self, like: Tensor, b: int, kpm: Tensor | None, am: Tensor | None) -> Tensor:
        n, t, s = like.shape
        total = like.new_zeros(n, t, s)
        if am is not None:
            if am.dtype == torch.bool:
                am = like.new_zeros(am.shape).masked_fill(am, float("-inf"))
            total = total + am
        if kpm is not None:
            # sample-major: rows b*h .. b*h + h - 1 belong to one sample
            flat = kpm.repeat_interleave(self.h, dim=0)[:, None, :]
            total = total.masked_fill(flat, float("-inf"))
        return total

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
        b, t, _ = query.shape
        q, k, v = (self._pack(i, z) for i, z in enumerate((query, key, value)))
        raw = torch.bmm(q, k.transpose(1, 2)) * self.d**-0.5
        w = torch.softmax(raw + self._additive(raw, b, key_padding_mask, attn_mask), dim=2)
        used = nn.functional.dropout(w, self.drop_rate, self.training) if self.drop_rate else w
        o = torch.bmm(used, v).view(b, self.h, t, self.d).transpose(1, 2).reshape(b, t, self.e)
        o = self.out_proj(o)
        if not need_weights:
            return o, None
        w = w.view(b, self.h, t, -1)
        return o, (w.mean(1) if average_attn_weights else w)
