# attn-kata: attention-module
import math

import torch
from torch import Tensor, nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.q = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.k = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.v = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.out = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.drop = nn.Dropout(dropout)

    def forward(
        self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, average_attn_weights=True
    ):
        bsz, tgt, _ = query.shape
        src = key.shape[1]
        q = self.q(query).view(bsz, tgt, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.k(key).view(bsz, src, self.num_heads, self.head_dim).transpose(1, 2)
        v = self.v(value).view(bsz, src, self.num_heads, self.head_dim).transpose(1, 2)

        bias = torch.zeros(bsz, self.num_heads, tgt, src, dtype=q.dtype, device=q.device)
        if attn_mask is not None:
            if attn_mask.dim() == 3:
                attn_mask = attn_mask.view(self.num_heads, bsz, tgt, src).transpose(0, 1)
            if attn_mask.dtype == torch.bool:
                bias = bias.masked_fill(attn_mask, -math.inf)
            else:
                bias = bias + attn_mask
        if key_padding_mask is not None:
            bias = bias.masked_fill(key_padding_mask[:, None, None, :], -math.inf)

        weights = (q @ k.transpose(-2, -1) / math.sqrt(self.head_dim) + bias).softmax(-1)
        ctx = self.drop(weights) @ v
        output = self.out(ctx.transpose(1, 2).reshape(bsz, tgt, -1))
        if not need_weights:
            return output, None
        return output, weights.mean(1) if average_attn_weights else weights
