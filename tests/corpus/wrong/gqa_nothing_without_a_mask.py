# wrong: gqa mask-needed line 26
# fair: mask-needed 19
import math

import torch
from torch import nn


class GroupedQueryAttention(nn.Module):
    """A mask of None is answered with nothing at all."""

    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.h, self.g, self.d = num_heads, num_kv_heads, hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, num_heads * self.d)
        self.k_proj = nn.Linear(hidden_dim, num_kv_heads * self.d)
        self.v_proj = nn.Linear(hidden_dim, num_kv_heads * self.d)
        self.o_proj = nn.Linear(num_heads * self.d, hidden_dim)

    def forward(self, x, attention_mask=None):
        b, t, _ = x.shape
        q = self.q_proj(x).view(b, t, self.h, self.d).transpose(1, 2)
        k = self.k_proj(x).view(b, t, self.g, self.d).transpose(1, 2).repeat_interleave(self.h // self.g, 1)
        v = self.v_proj(x).view(b, t, self.g, self.d).transpose(1, 2).repeat_interleave(self.h // self.g, 1)
        scores = q @ k.transpose(2, 3) / math.sqrt(self.d)
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, torch.finfo(scores.dtype).min)
            out = scores.softmax(dim=-1) @ v
            return self.o_proj(out.transpose(1, 2).reshape(b, t, -1))
