# right: cross remarks: dropout-not-applied, fill-overflows-half
# 交叉注意力：query 来自解码器，key / value 来自编码器
import math
import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, query, key, value, mask=None):
        b, tq, h = query.size()
        tk = key.size(1)  # 注意：和 tq 不一定相同
        q = self.wq(query).view(b, tq, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.wk(key).view(b, tk, self.num_heads, self.head_dim).transpose(1, 2)
        v = self.wv(value).view(b, tk, self.num_heads, self.head_dim).transpose(1, 2)
        score = q @ k.transpose(-1, -2) / math.sqrt(self.head_dim)
        if mask is not None:
            score = score.masked_fill(mask[:, None] == 0, -1e9)
        out = score.softmax(-1) @ v
        return self.wo(out.transpose(1, 2).contiguous().view(b, tq, h))
