# after flax.linen.MultiHeadDotProductAttention: kernels keep (features, heads, head_dim)
import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        head_dim = hidden_dim // num_heads
        # one 4-D parameter holds query, key and value of all heads
        self.qkv_kernel = nn.Parameter(torch.randn(3, hidden_dim, num_heads, head_dim) / math.sqrt(hidden_dim))
        self.qkv_bias = nn.Parameter(torch.zeros(3, num_heads, head_dim))
        self.out_kernel = nn.Parameter(torch.randn(num_heads, head_dim, hidden_dim) / math.sqrt(hidden_dim))
        self.out_bias = nn.Parameter(torch.zeros(hidden_dim))
        self.dropout_rate = dropout
        self.depth = head_dim

    def combine(self, weights, mask):
        if mask is None:
            return weights
        big_neg = torch.finfo(weights.dtype).min
        return torch.where(mask.type(torch.bool), weights, big_neg)

    def forward(self, x, attention_mask=None):
        qkv = torch.einsum("bld,sdnh->sblnh", x, self.qkv_kernel) + self.qkv_bias[:, None, None]
        query, key, value = qkv
        query = query / math.sqrt(self.depth)
        # stays in (batch, length, heads, head_dim) to the end
        attn = torch.einsum("...qhd,...khd->...hqk", query, key)
        attn = self.combine(attn, attention_mask).softmax(-1)
        if self.training and self.dropout_rate > 0:
            attn = torch.dropout(attn, self.dropout_rate, True)
        out = torch.einsum("...hqk,...khd->...qhd", attn, value)
        return torch.tensordot(out, self.out_kernel, dims=2) + self.out_bias
