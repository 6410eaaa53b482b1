import math
import torch
from torch import nn


class MultiQueryAttention(nn.Module):
    """多查询注意力:所有头共享 K 和 V"""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.kv_proj = nn.Linear(hidden_dim, self.head_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        bs, length, dim = x.shape
        q = self.q_proj(x).reshape(bs, length, self.num_heads, self.head_dim).transpose(1, 2)
        # 共享的 K、V: (bs, 1, length, head_dim)
        k = v = self.kv_proj(x).unsqueeze(1)

        score = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.head_dim)
        if attention_mask is not None:
            score = score.masked_fill(attention_mask == 0, float("-inf"))
        weight = torch.softmax(score, dim=-1)
        out = torch.matmul(weight, v)
        out = out.transpose(1, 2).reshape(bs, length, dim)
        return self.o_proj(out)
