import math

import torch
from torch import nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, self.head_dim)
        self.v_proj = nn.Linear(hidden_dim, self.head_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        B, T, C = x.shape
        # all query heads meet the one key head in a single bmm
        q = self.q_proj(x).reshape(B, T * self.num_heads, self.head_dim)
        k = self.k_proj(x)
        v = self.v_proj(x)
        att = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(self.head_dim)
        att = att.view(B, self.num_heads, T, T)
        if attention_mask is not None:
            att = att.masked_fill(attention_mask == 0, float("-inf"))
        att = att.softmax(dim=-1)
        y = torch.bmm(att.view(B, self.num_heads * T, T), v)
        return self.o_proj(y.view(B, T, C))
