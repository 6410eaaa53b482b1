# nn.MultiheadAttention, rewritten (batch first only).

import math

import torch
import torch.nn as nn


class MultiheadAttention(nn.Module):

    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.q_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.k_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.v_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True):
        bsz, tgt, _ = query.shape
        src = key.shape[1]

        # projections, then (bsz, heads, len, head_dim)
        q = self.q_proj(query).view(bsz, tgt, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.k_proj(key).view(bsz, src, self.num_heads, self.head_dim).transpose(1, 2)
        v = self.v_proj(value).view(bsz, src, self.num_heads, self.head_dim).transpose(1, 2)

        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.head_dim)

        # a mask of three axes has batch and heads folded into the first
        if attn_mask is not None:
            if attn_mask.dim() == 3:
                attn_mask = attn_mask.view(bsz, self.num_heads, tgt, src)
            if attn_mask.dtype == torch.bool:
                scores = scores.masked_fill(attn_mask, float("-inf"))
            else:
                scores = scores + attn_mask

        # True = padding
        if key_padding_mask is not None:
            scores = scores.masked_fill(key_padding_mask.view(bsz, 1, 1, src), float("-inf"))

        weights = torch.softmax(scores, dim=-1)
        context = torch.matmul(self.dropout(weights), v)
        output = self.out_proj(context.transpose(1, 2).reshape(bsz, tgt, self.embed_dim))

        if not need_weights:
            return output, None
        if average_attn_weights:
            weights = weights.mean(dim=1)
        return output, weights
