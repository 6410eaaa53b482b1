# wrong: v4 norm-added line 21
import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.norm = nn.LayerNorm(hidden_dim)
        self.proj = nn.Linear(hidden_dim, hidden_dim * 3)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)
        self.scale = hidden_dim ** -0.5

    def forward(self, x, attention_mask=None):
        q, k, v = self.proj(x).chunk(3, dim=-1)
        s = q @ k.transpose(-1, -2) * self.scale
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, float("-inf"))
        # 最后做一次归一化
        return self.norm(self.out(self.drop(s.softmax(-1)) @ v))
