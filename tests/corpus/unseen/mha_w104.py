# attn-kata: mha
import math
from functools import partial
import torch
from torch import nn


def split_heads(t, n):
    b, l, c = t.shape
    return t.reshape(b, l, n, c // n).transpose(1, 2)


def merge_heads(t):
    b, n, l, d = t.shape
    return t.reshape(b, l, n * d)


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        if hidden_dim % num_heads:
            raise ValueError(f"{hidden_dim} is not a multiple of {num_heads}")
        self.num_heads = num_heads
        self.proj = nn.ModuleDict({r: nn.Linear(hidden_dim, hidden_dim) for r in "qkvo"})
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        cut = partial(split_heads, n=self.num_heads)
        q, k, v = (cut(self.proj[r](x)) for r in "qkv")
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, torch.finfo(scores.dtype).min)
        weights = self.dropout(scores.softmax(dim=-1))
        return self.proj["o"](merge_heads(weights @ v))
