# wrong: causal device-hardcoded line 18
import math

import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, block_size=None):
        super().__init__()
        self.num_heads = num_heads
        self.c_attn = nn.Linear(embed_dim, 3 * embed_dim)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = (t.view(B, T, self.num_heads, -1).transpose(1, 2) for t in self.c_attn(x).chunk(3, -1))
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.size(-1))
        keep = torch.ones(T, T, dtype=torch.bool).tril()
        scores = torch.where(keep, scores, float("-inf"))
        return (torch.softmax(scores, -1) @ v).transpose(1, 2).reshape(B, T, C)
