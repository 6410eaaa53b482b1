# wrong: mqa values-from-keys line 24
# 多查询注意力 MQA：多个 query 头，只有一个 KV 头
import math

import torch
import torch.nn as nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        # 所有头共享同一个 KV 头，宽度为 head_dim
        self.kv_proj = nn.Linear(hidden_dim, self.head_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        b, n, _ = x.size()
        # q: [b, h, n, d]
        q = self.q_proj(x).view(b, n, self.num_heads, self.head_dim).permute(0, 2, 1, 3)
        # k, v: [b, 1, n, d]，靠广播共享给每个头
        k = v = self.kv_proj(x).unsqueeze(1)

        score = q @ k.transpose(2, 3) / math.sqrt(self.head_dim)
        if attention_mask is not None:
            # 掩码为 0 的位置不可见
            score = score.masked_fill(attention_mask == 0, float("-inf"))
        prob = score.softmax(-1)

        out = (prob @ v).permute(0, 2, 1, 3).contiguous().view(b, n, -1)
        return self.o_proj(out)
