# wrong: gqa scale-by-hidden-dim line 22
import math

import torch
import torch.nn as nn


class GroupedQueryAttention(nn.Module):

    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.n_head = num_heads
        self.n_kv = num_kv_heads
        self.head_size = hidden_dim // num_heads
        self.kv_dim = num_kv_heads * self.head_size
        self.c_attn = nn.Linear(hidden_dim, hidden_dim + 2 * self.kv_dim)
        self.c_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split([C, self.kv_dim, self.kv_dim], dim=2)
        scale = 1.0 / math.sqrt(k.size(-1))
        q = q.view(B, T, self.n_head, -1).transpose(1, 2)
        k = k.view(B, T, self.n_kv, -1).transpose(1, 2)
        v = v.view(B, T, self.n_kv, -1).transpose(1, 2)
        k = k.repeat_interleave(self.n_head // self.n_kv, 1)
        v = v.repeat_interleave(self.n_head // self.n_kv, 1)
        att = (q @ k.transpose(-2, -1)) * scale
        if attention_mask is not None:
            att = att.masked_fill(attention_mask == 0, float('-inf'))
        y = att.softmax(dim=-1) @ v
        return self.c_proj(y.transpose(1, 2).contiguous().view(B, T, C))
