# right: mha remarks: returns-tuple, nan-on-empty-row
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def attention(q, k, v, mask=None, drop=None):
    logits = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.size(-1))
    if mask is not None:
        logits = logits.masked_fill(mask == 0, -math.inf)
    probabilities = F.softmax(logits, dim=-1)
    mixed = drop(probabilities) if drop is not None else probabilities
    return torch.matmul(mixed, v), probabilities


class MultiheadSelfAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.1):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError("embed_dim must divide by num_heads")
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        # each head owns a run of 3 * head_dim rows: its q, its k, its v
        self.qkv_proj = nn.Linear(embed_dim, 3 * embed_dim)
        self.o_proj = nn.Linear(embed_dim, embed_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        batch, length, _ = x.size()
        qkv = self.qkv_proj(x).view(batch, length, self.num_heads, 3 * self.head_dim)
        q, k, v = qkv.permute(0, 2, 1, 3).chunk(3, dim=-1)
        values, weights = attention(q, k, v, mask, self.drop)
        values = values.permute(0, 2, 1, 3).reshape(batch, length, self.embed_dim)
        return self.o_proj(values), weights
