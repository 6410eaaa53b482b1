# wrong: mqa mask-added line 10
import math

import torch
from torch import nn


def to_bias(mask, like):
    if torch.is_floating_point(mask):
        return mask.type_as(like)
    return torch.zeros_like(mask, dtype=like.dtype).masked_fill(mask == 0, float("-inf"))


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h, self.d = num_heads, hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, self.d)
        self.v = nn.Linear(hidden_dim, self.d)
        self.o = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        q = self.q(x).unflatten(-1, (self.h, self.d)).transpose(1, 2)
        k, v = self.k(x)[:, None], self.v(x)[:, None]
        s = q @ k.mT / math.sqrt(self.d)
        if attention_mask is not None:
            bias = to_bias(attention_mask, s)
            s = s + bias
        return self.o((s.softmax(-1) @ v).transpose(1, 2).flatten(2))
