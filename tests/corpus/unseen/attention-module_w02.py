# attn-kata: attention-module
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class MultiheadAttention(nn.Module):
    """与 nn.MultiheadAttention 相同的接口（batch 在前）。"""

    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        assert embed_dim % num_heads == 0
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.w = nn.ModuleList(nn.Linear(embed_dim, embed_dim, bias=bias) for _ in range(4))
        self.dropout = nn.Dropout(dropout)

    def _allowed(self, key_padding_mask: Tensor | None, attn_mask: Tensor | None, b: int) -> Tensor | None:
        # 统一成 True = 可以看，形状能广播到 (b, h, t, s)
        by_padding = by_attn = None
        if key_padding_mask is not None:
            by_padding = ~key_padding_mask[:, None, None, :]
        if attn_mask is not None and attn_mask.dtype == torch.bool:
            by_attn = ~attn_mask
            if by_attn.dim() == 3:
                by_attn = by_attn.unflatten(0, (b, self.num_heads))
        if by_padding is None or by_attn is None:
            return by_attn if by_padding is None else by_padding
        return by_padding | by_attn

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
        b = query.shape[0]
        q, k, v = (
            layer(t).unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)
            for layer, t in zip(self.w, (query, key, value))
        )
        scores = torch.matmul(q, k.mT) / math.sqrt(self.head_dim)
        if attn_mask is not None and attn_mask.is_floating_point():
            scores = scores + (attn_mask if attn_mask.dim() == 2 else attn_mask.unflatten(0, (b, self.num_heads)))
        allowed = self._allowed(key_padding_mask, attn_mask, b)
        if allowed is not None:
            scores = scores.masked_fill(~allowed, -math.inf)
        weights = torch.softmax(scores, dim=-1)
        out = self.w[3](torch.matmul(self.dropout(weights), v).transpose(1, 2).flatten(2))
        if not need_weights:
            return out, None
        return out, (weights.mean(dim=1) if average_attn_weights else weights)
