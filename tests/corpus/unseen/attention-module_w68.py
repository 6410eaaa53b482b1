# attn-kata: attention-module
# After torch's own _in_projection_packed: one matmul where the arguments are the same tensor.
from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn import Parameter


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.in_proj_weight = Parameter(torch.empty(3 * embed_dim, embed_dim))
        self.in_proj_bias = Parameter(torch.zeros(3 * embed_dim)) if bias else None
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        nn.init.xavier_uniform_(self.in_proj_weight)

    def in_projection(self, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, ...]:
        w, b = self.in_proj_weight, self.in_proj_bias
        if q is k:
            # self-attention
            return F.linear(q, w, b).chunk(3, dim=-1)
        ws = w.chunk(3)
        bs = (None, None, None) if b is None else b.chunk(3)
        return tuple(F.linear(x, w_, b_) for x, w_, b_ in zip((q, k, v), ws, bs))

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
        bsz, tgt_len, _ = query.shape
        src_len = key.shape[1]
        head_dim = self.embed_dim // self.num_heads
        q, k, v = self.in_projection(query, key, value)
        q = q.reshape(bsz, tgt_len, self.num_heads, head_dim).transpose(1, 2)
        k = k.reshape(bsz, src_len, self.num_heads, head_dim).transpose(1, 2)
        v = v.reshape(bsz, src_len, self.num_heads, head_dim).transpose(1, 2)

        bias = torch.zeros(bsz, 1, 1, src_len, dtype=q.dtype, device=q.device)
        if key_padding_mask is not None:
            bias = bias.masked_fill(key_padding_mask[:, None, None, :], float("-inf"))
        if attn_mask is not None:
            if attn_mask.dtype == torch.bool:
                attn_mask = torch.zeros_like(attn_mask, dtype=q.dtype).masked_fill(attn_mask, float("-inf"))
            if attn_mask.dim() == 3:
                attn_mask = attn_mask.view(bsz, self.num_heads, tgt_len, src_len)
            bias = bias + attn_mask

        weights = (q @ k.transpose(-2, -1) / math.sqrt(head_dim) + bias).softmax(dim=-1)
        attn = F.dropout(weights, p=self.dropout, training=self.training) @ v
        out = self.out_proj(attn.transpose(1, 2).reshape(bsz, tgt_len, self.embed_dim))
        if need_weights:
            return out, weights.mean(dim=1) if average_attn_weights else weights
        return out, None
