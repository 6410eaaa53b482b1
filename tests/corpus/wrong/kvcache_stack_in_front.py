# wrong: kvcache cache-wrong-order line 22
import math

import torch
from torch import nn


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.heads, self.width = num_heads, hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        B, T, D = x.shape
        q, *kv = self.qkv(x).view(B, T, 3, self.heads, self.width).permute(2, 0, 3, 1, 4)
        kv = torch.stack(kv, dim=1)  # (B, 2, heads, T, width)
        past = 0
        if cache is not None:
            past = cache.shape[3]
            kv = torch.cat([kv, cache], dim=3)
        keys, values = kv.unbind(dim=1)
        rows = torch.arange(past, past + T, device=x.device)[:, None]
        columns = torch.arange(past + T, device=x.device)
        scores = q @ keys.mT / math.sqrt(self.width)
        scores = scores.masked_fill(columns > rows, float("-inf"))
        y = scores.softmax(dim=-1) @ values
        return self.out(y.transpose(1, 2).reshape(B, T, D)), kv
