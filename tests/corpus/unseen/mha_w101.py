import torch
from torch import nn
from math import sqrt


def split_heads(t, h):
    b, l, d = t.shape
    return t.reshape(b, l, h, d // h).permute(0, 2, 1, 3)


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h = num_heads
        self.wqkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        b, l, d = x.shape
        q, k, v = [split_heads(t, self.h) for t in self.wqkv(x).chunk(3, dim=-1)]
        s = q @ k.transpose(2, 3) / sqrt(d)
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, float("-inf"))
        w = self.drop(torch.softmax(s, dim=3))
        return self.wo((w @ v).permute(0, 2, 1, 3).reshape(b, l, d))
