# wrong: mha mask-transposed line 18
import math
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.nh = num_heads
        self.hd = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.proj = nn.Linear(hidden_dim, hidden_dim)
        self.attn_drop = nn.Dropout(dropout)

    @staticmethod
    def additive(mask, dtype):
        mask = mask.transpose(-1, -2)
        return (1.0 - mask.to(dtype)) * -1e9

    def forward(self, x, attention_mask=None):
        B, T, C = x.shape
        q, k, v = self.qkv(x).reshape(B, T, 3, self.nh, self.hd).permute(2, 0, 3, 1, 4)
        att = (q @ k.transpose(-2, -1)) / math.sqrt(self.hd)
        if attention_mask is not None:
            att = att + self.additive(attention_mask, att.dtype)
        att = self.attn_drop(att.softmax(dim=-1))
        y = (att @ v).transpose(1, 2).reshape(B, T, C)
        return self.proj(y)
