import math
import torch
import torch.nn as nn


class MultiQueryAttention(nn.Module):
    """多查询注意力: 所有头共享同一组 K 和 V"""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_layer = nn.Linear(hidden_dim, hidden_dim)
        self.k_layer = nn.Linear(hidden_dim, self.head_dim)
        self.v_layer = nn.Linear(hidden_dim, self.head_dim)
        self.o_layer = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        b, s, h = x.shape
        q = self.q_layer(x).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.k_layer(x).unsqueeze(1)  # (b, 1, s, d)
        v = self.v_layer(x).unsqueeze(1)
        score = q @ k.transpose(-1, -2) / math.sqrt(self.head_dim)
        if attention_mask is not None:
            mask = attention_mask != 0
            if mask.size(2) == 1:
                # 填充掩码 (b, 1, 1, s) 扩展成方阵
                mask = mask & mask.transpose(2, 3)
            score = score.masked_fill(~mask, torch.finfo(score.dtype).min)
        prob = torch.softmax(score, dim=-1)
        out = (prob @ v).transpose(1, 2).contiguous().view(b, s, h)
        return self.o_layer(out)
