# attn-kata: attention-module
import math

import torch
from torch import nn


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

    def _shape(self, tensor, n_seq):
        # (n_seq, len, dim) -> (n_seq * heads, len, head_dim)
        return (
            tensor.view(n_seq, -1, self.num_heads, self.head_dim)
            .transpose(1, 2)
            .reshape(n_seq * self.num_heads, -1, self.head_dim)
        )

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True):
        n_seq, tgt, _ = query.shape
        src = key.shape[1]
        q = self._shape(self.q_proj(query), n_seq)
        k = self._shape(self.k_proj(key), n_seq)
        v = self._shape(self.v_proj(value), n_seq)

        sim = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(self.head_dim)
        if attn_mask is not None:
            if attn_mask.dtype == torch.bool:
                sim = sim.masked_fill(attn_mask, float("-inf"))
            else:
                sim = sim + attn_mask
        if key_padding_mask is not None:
            gaps = key_padding_mask.repeat(self.num_heads, 1)
            sim = sim.masked_fill(gaps.unsqueeze(1), float("-inf"))

        weights = sim.softmax(dim=-1)
        out = torch.bmm(self.dropout(weights), v)
        out = out.view(n_seq, self.num_heads, tgt, self.head_dim).transpose(1, 2)
        out = self.out_proj(out.reshape(n_seq, tgt, self.embed_dim))
        if not need_weights:
            return out, None
        weights = weights.view(n_seq, self.num_heads, tgt, src)
        if average_attn_weights:
            weights = weights.mean(dim=1)
        return out, weights
