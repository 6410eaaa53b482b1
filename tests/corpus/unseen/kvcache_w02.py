# attn-kata: kvcache
# 带 KV cache 的自注意力
import math

import torch
import torch.nn as nn


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        B, L, D = x.shape
        q = self.wq(x).view(B, L, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.wk(x).view(B, L, self.num_heads, self.head_dim).transpose(1, 2)
        v = self.wv(x).view(B, L, self.num_heads, self.head_dim).transpose(1, 2)

        # prefill 阶段需要因果 mask, decode 阶段不需要
        need_mask = cache is None
        if cache is not None:
            past_k, past_v = cache
            k = torch.cat([past_k, k], dim=2)
            v = torch.cat([past_v, v], dim=2)

        score = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.head_dim)
        if need_mask:
            mask = torch.tril(torch.ones(L, L, device=x.device))
            score = score.masked_fill(mask == 0, float("-inf"))
        prob = torch.softmax(score, dim=-1)
        out = torch.matmul(prob, v).transpose(1, 2).contiguous().view(B, L, D)
        return self.wo(out), (k, v)
