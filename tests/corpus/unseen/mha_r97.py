"""timm's Attention, with a mask, and with its norms and drops left as Identity."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1, qkv_bias=False, proj_drop=0.0, norm_layer=None):
        super().__init__()
        assert hidden_dim % num_heads == 0, "dim should be divisible by num_heads"
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.scale = self.head_dim**-0.5
        norm = norm_layer or (lambda _: nn.Identity())

        self.qkv = nn.Linear(hidden_dim, hidden_dim * 3, bias=qkv_bias)
        self.q_norm = norm(self.head_dim)
        self.k_norm = norm(self.head_dim)
        self.attn_drop = nn.Dropout(dropout)
        self.norm = norm(hidden_dim)
        self.proj = nn.Linear(hidden_dim, hidden_dim)
        self.proj_drop = nn.Dropout(proj_drop)

    @staticmethod
    def maybe_add_mask(scores, mask=None):
        return scores if mask is None else scores + mask

    def resolve(self, mask, dtype):
        if mask is None:
            return None
        floor = torch.finfo(dtype).min / 2     # half, so that adding a score cannot leave the range
        return torch.zeros_like(mask, dtype=dtype).masked_fill_(mask == 0, floor)

    def forward(self, x, attention_mask=None):
        B, N, C = x.shape
        qkv = self.qkv(x).reshape(B, N, 3, self.num_heads, self.head_dim).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        q, k = self.q_norm(q), self.k_norm(k)

        q = q * self.scale
        attn = q @ k.transpose(-2, -1)
        attn = self.maybe_add_mask(attn, self.resolve(attention_mask, attn.dtype))
        attn = attn.softmax(dim=-1)
        attn = self.attn_drop(attn)
        x = attn @ v

        x = x.transpose(1, 2).reshape(B, N, C)
        x = self.norm(x)
        x = self.proj(x)
        return self.proj_drop(x)
