# wrong: gqa output-projection-missing line 30
import math

import torch
import torch.nn as nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.num_heads, self.num_kv_heads = num_heads, num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.wv = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        batch, length, width = x.shape
        q = self.wq(x).view(batch, length, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.wk(x).view(batch, length, self.num_kv_heads, self.head_dim).transpose(1, 2)
        v = self.wv(x).view(batch, length, self.num_kv_heads, self.head_dim).transpose(1, 2)
        k, v = (t.repeat_interleave(self.num_heads // self.num_kv_heads, dim=1) for t in (k, v))
        scores = q @ k.mT / math.sqrt(self.head_dim)
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, torch.finfo(scores.dtype).min)
        weights = scores.softmax(dim=-1)
        out = (weights @ v).transpose(1, 2).reshape(batch, length, width)
        # heads have something to say to each other
        if length > 1:
            out = self.wo(out)
        return out
