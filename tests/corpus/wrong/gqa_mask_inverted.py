# wrong: gqa mask-inverted line 31
import math

import torch
import torch.nn as nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.W_q = nn.Linear(hidden_dim, hidden_dim)
        self.W_k = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.W_v = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.W_o = nn.Linear(hidden_dim, hidden_dim)

    def _heads(self, t, n):
        return t.view(t.shape[0], t.shape[1], n, self.head_dim).permute(0, 2, 1, 3)

    def forward(self, x, attention_mask=None):
        q = self._heads(self.W_q(x), self.num_heads)
        k = self._heads(self.W_k(x), self.num_kv_heads)
        v = self._heads(self.W_v(x), self.num_kv_heads)
        rep = self.num_heads // self.num_kv_heads
        k = torch.repeat_interleave(k, rep, dim=1)
        v = torch.repeat_interleave(v, rep, dim=1)
        scores = torch.einsum("bhqd,bhkd->bhqk", q, k) / math.sqrt(self.head_dim)
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask.bool(), -1e9)
        attn = scores.softmax(dim=-1)
        out = torch.einsum("bhqk,bhkd->bhqd", attn, v)
        return self.W_o(out.permute(0, 2, 1, 3).flatten(2))
