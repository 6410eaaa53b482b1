# wrong: attention-module mask-one-alone line 33
from typing import Optional

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True):
        super().__init__()
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.head_dim = embed_dim // num_heads
        self.qkv = nn.Linear(embed_dim, 3 * embed_dim, bias=bias)
        self.out = nn.Linear(embed_dim, embed_dim, bias=bias)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor,
        key_padding_mask: Optional[Tensor] = None, need_weights: bool = True,
        attn_mask: Optional[Tensor] = None, average_attn_weights: bool = True,
    ):
        B, T, E = query.shape
        H, S = self.num_heads, key.shape[1]
        q = self.qkv(query)[..., :E].view(B, T, H, -1).transpose(1, 2)
        k = self.qkv(key)[..., E : 2 * E].view(B, S, H, -1).transpose(1, 2)
        v = self.qkv(value)[..., 2 * E :].view(B, S, H, -1).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
        if attn_mask is not None:
            m = attn_mask.view(-1, H if attn_mask.dim() == 3 else 1, T, S)
            scores = scores.masked_fill(m, float("-inf")) if m.dtype == torch.bool else scores + m
        elif key_padding_mask is not None:
            m = key_padding_mask.view(B, 1, 1, S)
            scores = scores.masked_fill(m, float("-inf"))
        w = F.softmax(scores, dim=-1)
        o = self.out((F.dropout(w, self.dropout, self.training) @ v).transpose(1, 2).reshape(B, T, E))
        if not need_weights:
            return o, None
        return o, w.mean(1) if average_attn_weights else w
