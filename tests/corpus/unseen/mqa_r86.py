"""Falcon / GPT-BigCode: one fused c_attn of width hidden + 2 * head_dim, queries folded into rows."""
from __future__ import annotations

import torch
from torch import nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int):
        super().__init__()
        self.embed_dim = hidden_dim
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.kv_dim = self.head_dim
        self.c_attn = nn.Linear(self.embed_dim, self.embed_dim + 2 * self.kv_dim)
        self.c_proj = nn.Linear(self.embed_dim, self.embed_dim)

    def _attn(self, query, key, value, attention_mask):
        # query (b, t, h*d); key, value (b, t, d)
        batch, length, _ = query.shape
        # since all heads share the key, (length, heads) are rows of one matrix product
        query = query.reshape(batch, length * self.num_heads, self.head_dim)
        empty = torch.empty((batch, length * self.num_heads, length), device=query.device, dtype=query.dtype)
        attn_weights = torch.baddbmm(empty, query, key.transpose(1, 2), beta=0, alpha=self.head_dim**-0.5)
        attn_weights = attn_weights.view(batch, length, self.num_heads, length)
        if attention_mask is not None:
            visible = attention_mask.to(torch.bool).transpose(1, 2)   # (b, t or 1, h or 1, t)
            mask_value = torch.full([], torch.finfo(attn_weights.dtype).min, dtype=attn_weights.dtype, device=attn_weights.device)
            attn_weights = torch.where(visible, attn_weights, mask_value)
        attn_weights = torch.softmax(attn_weights, dim=-1)
        attn_weights = attn_weights.view(batch, length * self.num_heads, length)
        return torch.bmm(attn_weights, value).view(batch, length, self.embed_dim)

    def forward(self, x, attention_mask=None):
        query, key, value = self.c_attn(x).split((self.embed_dim, self.kv_dim, self.kv_dim), dim=2)
        return self.c_proj(self._attn(query, key, value, attention_mask))
