# wrong: block residual-from-input line 53
import math

import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, dim: int, n_heads: int):
        super().__init__()
        self.n_heads = n_heads
        self.head_dim = dim // n_heads
        self.wqkv = nn.Linear(dim, 3 * dim, bias=False)
        self.wo = nn.Linear(dim, dim, bias=False)

    def forward(self, x, mask):
        bsz, seqlen, dim = x.shape
        q, k, v = self.wqkv(x).reshape(bsz, seqlen, 3, self.n_heads, self.head_dim).unbind(2)
        q, k, v = map(lambda t: t.transpose(1, 2), (q, k, v))
        scores = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(self.head_dim)
        if mask is not None:
            scores = scores + mask
        scores = F.softmax(scores, dim=-1)
        out = torch.matmul(scores, v).transpose(1, 2).reshape(bsz, seqlen, dim)
        return self.wo(out)


class FeedForward(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.w1 = nn.Linear(dim, 4 * dim, bias=False)
        self.w2 = nn.Linear(4 * dim, dim, bias=False)

    def forward(self, x):
        return self.w2(F.gelu(self.w1(x)))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int):
        super().__init__()
        self.attention = Attention(hidden_dim, num_heads)
        self.feed_forward = FeedForward(hidden_dim)
        self.attention_norm = nn.LayerNorm(hidden_dim)
        self.ffn_norm = nn.LayerNorm(hidden_dim)

    def forward(self, x):
        seqlen = x.size(1)
        mask = None
        if seqlen > 1:
            mask = torch.full((seqlen, seqlen), float("-inf"), dtype=x.dtype, device=x.device).triu(1)
        h = x + self.attention(self.attention_norm(x), mask)
        out = x + self.feed_forward(self.ffn_norm(h))
        return out
