# right: gqa
"""One projection: all queries, then each kv head's key beside its value."""
import torch
from torch import nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.heads, self.kv = num_heads, num_kv_heads
        self.width = hidden_dim // num_heads
        self.c_attn = nn.Linear(hidden_dim, (num_heads + 2 * num_kv_heads) * self.width)
        self.c_proj = nn.Linear(num_heads * self.width, hidden_dim)

    def forward(self, x, attention_mask=None):
        b, t, _ = x.shape
        q, kv = self.c_attn(x).split([self.heads * self.width, 2 * self.kv * self.width], dim=-1)
        q = q.view(b, t, self.kv, -1, self.width).permute(0, 2, 3, 1, 4)
        k, v = kv.view(b, t, self.kv, 1, 2, self.width).permute(4, 0, 2, 3, 1, 5)
        scores = q @ k.mT * self.width**-0.5
        if attention_mask is not None:
            mask = attention_mask.bool().expand(b, self.heads, t, t).unflatten(1, (self.kv, -1))
            scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        mixed = scores.softmax(-1) @ v
        return self.c_proj(mixed.permute(0, 3, 1, 2, 4).reshape(b, t, -1))
