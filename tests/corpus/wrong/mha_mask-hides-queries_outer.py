# wrong: mha mask-hides-queries line 25
import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h, self.d = num_heads, hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        b, t, c = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.h, self.d).permute(2, 0, 3, 1, 4)
        s = q @ k.mT / math.sqrt(self.d)
        if attention_mask is not None:
            real = attention_mask != 0
            if real.size(2) == 1:
                # (b, 1, 1, t): padding neither asks nor is asked
                row = real[:, :, 0]
                real = torch.einsum("bhi,bhj->bhij", row.to(x.dtype), row.to(x.dtype)) > 0
            s = s.masked_fill(~real, torch.finfo(s.dtype).min)
        y = self.drop(s.softmax(-1)) @ v
        return self.out(y.transpose(1, 2).reshape(b, t, c))
