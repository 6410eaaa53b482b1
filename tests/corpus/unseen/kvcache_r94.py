import math

import torch
import torch.nn as nn


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.n_head = num_heads
        self.head_size = hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.key = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.value = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        # 缓存: {"k": (B, S, C), "v": (B, S, C)}, 还没有分头
        B, T, C = x.shape
        q, k, v = self.query(x), self.key(x), self.value(x)
        if cache is not None:
            k = torch.cat([cache["k"], k], dim=1)
            v = torch.cat([cache["v"], v], dim=1)
        new_cache = dict(k=k, v=v)
        S = k.shape[1]
        # 分头
        q = q.view(B, T, self.n_head, self.head_size).transpose(1, 2)
        k = k.view(B, S, self.n_head, self.head_size).transpose(1, 2)
        v = v.view(B, S, self.n_head, self.head_size).transpose(1, 2)
        att = q @ k.transpose(-2, -1) / math.sqrt(self.head_size)
        mask = torch.ones(T, S, device=x.device).tril(diagonal=S - T)
        att = att.masked_fill(mask == 0, float("-inf"))
        y = att.softmax(dim=-1) @ v
        return self.proj(y.transpose(1, 2).reshape(B, T, C)), new_cache
