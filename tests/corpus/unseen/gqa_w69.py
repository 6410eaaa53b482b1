import math
import torch
import torch.nn as nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        assert num_heads % num_kv_heads == 0
        self.h, self.g = num_heads, num_kv_heads
        self.d = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, num_heads * self.d, bias=False)
        self.kv = nn.Linear(hidden_dim, 2 * num_kv_heads * self.d, bias=False)
        self.o = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, attention_mask=None):
        b, t, c = x.shape
        q = self.q(x).view(b, t, self.h, self.d).transpose(1, 2)
        kv = self.kv(x).view(b, t, 2 * self.g, self.d).transpose(1, 2)
        k, v = kv.split(self.g, dim=1)
        r = self.h // self.g
        k, v = k.repeat(1, r, 1, 1), v.repeat(1, r, 1, 1)
        s = q @ k.transpose(-1, -2) / math.sqrt(self.d)
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, float("-inf"))
        y = s.softmax(-1) @ v
        return self.o(y.transpose(1, 2).reshape(b, t, c))
