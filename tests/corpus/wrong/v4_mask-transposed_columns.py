# wrong: v4 mask-transposed line 20
import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    """关于 mask: 1 表示可以看到, 0 表示看不到"""

    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.dim = hidden_dim
        self.qkv = nn.Linear(hidden_dim, hidden_dim * 3)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q, k, v = self.qkv(x).split([self.dim] * 3, dim=-1)
        # 打分 (B, T, T)
        score = q @ k.transpose(1, 2) / self.dim ** 0.5
        if attention_mask is not None:
            keep = attention_mask.bool().permute(0, 2, 1)
            score = score.masked_fill(~keep, -1e9)
        # 归一化
        weight = torch.softmax(score, dim=-1)
        return self.dropout(weight) @ v
