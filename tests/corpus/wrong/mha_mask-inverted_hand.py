# wrong: mha mask-inverted line 31
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    """多头注意力

    hidden_dim: 隐藏维度, num_heads: 头数
    attention_mask: (B, 1, 1, T) 或 (B, H, T, T), 1 表示可见
    """

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        B, T, _ = x.size()
        # 拆分多头
        q = self.q(x).view(B, T, self.num_heads, -1).transpose(1, 2)
        k = self.k(x).view(B, T, self.num_heads, -1).transpose(1, 2)
        v = self.v(x).view(B, T, self.num_heads, -1).transpose(1, 2)
        score = q @ k.transpose(-1, -2) / self.head_dim ** 0.5
        if attention_mask is not None:
            score = score.masked_fill(attention_mask == 1, float("-1e20"))
        w = self.drop(score.softmax(dim=-1))
        # 合并多头
        out = (w @ v).transpose(1, 2).contiguous().view(B, T, -1)
        return self.o(out)
