# wrong: causal heads-view-without-transpose line 17
import math
import torch
import torch.nn as nn


class BaseAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.d_head = d_model // n_heads
        self.proj_qkv = nn.Linear(d_model, 3 * d_model)
        self.proj_out = nn.Linear(d_model, d_model)

    def to_heads(self, t):
        b, l, _ = t.shape
        return t.contiguous().view(b, self.n_heads, l, self.d_head)

    def from_heads(self, t):
        b, _, l, _ = t.shape
        return t.transpose(1, 2).reshape(b, l, -1)


class CausalSelfAttention(BaseAttention):
    def __init__(self, d_model, n_heads, block_size):
        super().__init__(d_model, n_heads)
        self.block_size = block_size

    def forward(self, x):
        q, k, v = (self.to_heads(t) for t in self.proj_qkv(x).chunk(3, dim=-1))
        t = x.size(1)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d_head)
        future = torch.ones(t, t, dtype=torch.bool, device=x.device).triu(1)
        scores = scores.masked_fill(future, float("-inf"))
        return self.proj_out(self.from_heads(scores.softmax(-1) @ v))
