# wrong: kvcache cache-on-self line 29
# fair: cache-on-self 27 28
import math

import torch
import torch.nn as nn


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.n_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wv = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.cache_k = None
        self.cache_v = None

    def forward(self, x, cache=None):
        bsz, seqlen, _ = x.shape
        xq = self.wq(x).view(bsz, seqlen, self.n_heads, self.head_dim).transpose(1, 2)
        xk = self.wk(x).view(bsz, seqlen, self.n_heads, self.head_dim).transpose(1, 2)
        xv = self.wv(x).view(bsz, seqlen, self.n_heads, self.head_dim).transpose(1, 2)
        if cache is not None:
            xk = torch.cat([self.cache_k, xk], dim=2)
            xv = torch.cat([self.cache_v, xv], dim=2)
        self.cache_k, self.cache_v = xk, xv
        total = xk.shape[2]
        scores = xq @ xk.transpose(2, 3) / math.sqrt(self.head_dim)
        mask = torch.ones(seqlen, total, dtype=torch.bool, device=x.device).triu(total - seqlen + 1)
        scores = scores.masked_fill(mask, float("-inf"))
        out = torch.softmax(scores, dim=-1) @ xv
        return self.wo(out.transpose(1, 2).reshape(bsz, seqlen, -1)), total
