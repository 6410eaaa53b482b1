# attn-kata: gqa
# 分组查询注意力 GQA
import math

import torch
import torch.nn as nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.n_rep = num_heads // num_kv_heads      # 每组共享的查询头数
        self.head_dim = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, num_heads * self.head_dim)
        self.wk = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.wv = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.wo = nn.Linear(num_heads * self.head_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        B, T, _ = x.shape
        # [B, G, R, T, d]: G 组, 每组 R 个查询头
        q = self.wq(x).view(B, T, self.num_kv_heads, self.n_rep, self.head_dim).permute(0, 2, 3, 1, 4)
        k = self.wk(x).view(B, T, self.num_kv_heads, 1, self.head_dim).permute(0, 2, 3, 1, 4)
        v = self.wv(x).view(B, T, self.num_kv_heads, 1, self.head_dim).permute(0, 2, 3, 1, 4)
        att = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.head_dim)
        if attention_mask is not None:
            m = attention_mask[:, :1].unsqueeze(2)
            att = att.masked_fill(m == 0, float("-inf"))
        att = torch.softmax(att, dim=-1)
        out = torch.matmul(att, v)                  # [B, G, R, T, d]
        out = out.permute(0, 3, 1, 2, 4).contiguous().view(B, T, -1)
        return self.wo(out)
