import math

import torch
from torch import nn


class CrossAttention(nn.Module):
    # 交叉注意力: query 来自解码器, key / value 来自编码器
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def split(self, x):
        # (B, T, C) -> (B, H, T, D)
        return x.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)

    def forward(self, query, key, value, mask=None):
        q, k, v = self.split(self.wq(query)), self.split(self.wk(key)), self.split(self.wv(value))
        scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.head_dim)
        if mask is not None:
            # 哪些 key 可见
            visible = mask.bool().any(dim=1, keepdim=True)
            scores = scores.masked_fill(~visible.unsqueeze(1), float("-inf"))
        weights = self.dropout(torch.softmax(scores, dim=-1))
        out = torch.matmul(weights, v)  # (B, H, Tq, D)
        return self.wo(out.transpose(1, 2).flatten(2))
