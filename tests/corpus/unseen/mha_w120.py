import math
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    # 多头注意力
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, hidden_dim * 3)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        B, T, C = x.shape
        qkv = self.qkv(x).view(B, T, 3, self.num_heads, self.head_dim)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)           # 每个 (B, H, T, D)
        score = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)
        if attention_mask is not None:
            score = score.masked_fill(attention_mask == 0, float("-inf"))
        attn = self.drop(torch.softmax(score, dim=-1))
        ctx = attn @ v                                 # (B, H, T, D)
        ctx = ctx.movedim(1, -1).reshape(B, T, C)      # 合并所有头
        return self.out(ctx)
