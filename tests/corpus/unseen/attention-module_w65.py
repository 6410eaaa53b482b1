# attn-kata: attention-module
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"{embed_dim=} is no multiple of {num_heads=}")
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.q_proj = nn.Linear(embed_dim, embed_dim, bias)
        self.k_proj = nn.Linear(embed_dim, embed_dim, bias)
        self.v_proj = nn.Linear(embed_dim, embed_dim, bias)
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias)
        self.attn_dropout = nn.Dropout(dropout)

    def split_heads(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)

    def expand_attn_mask(self, attn_mask: Tensor, batch: int) -> Tensor:
        if attn_mask.dim() == 2:
            return attn_mask[None, None]
        _, tgt, src = attn_mask.shape
        return attn_mask.reshape(self.num_heads, batch, tgt, src).transpose(0, 1)

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
        q = self.split_heads(self.q_proj(query))
        k = self.split_heads(self.k_proj(key))
        v = self.split_heads(self.v_proj(value))
        scores = q.matmul(k.transpose(-2, -1)) / math.sqrt(self.head_dim)

        if attn_mask is not None:
            attn_mask = self.expand_attn_mask(attn_mask, query.size(0))
            if attn_mask.dtype == torch.bool:
                scores = scores.masked_fill(attn_mask, float("-inf"))
            else:
                scores = scores + attn_mask
        if key_padding_mask is not None:
            scores = scores.masked_fill(key_padding_mask[:, None, None, :], float("-inf"))

        weights = self.attn_dropout(torch.softmax(scores, dim=-1))
        context = weights.matmul(v).transpose(1, 2).reshape(query.shape)
        output = self.out_proj(context)
        if need_weights:
            return output, weights.mean(dim=1) if average_attn_weights else weights
        return output, None
