"""GQA with one fused projection, rows laid out the way Megatron / InternLM2 checkpoints have them:
for every kv group [q_0 .. q_{g-1}, k, v]."""
import math
import torch
from torch import nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        assert hidden_dim % num_heads == 0 and num_heads % num_kv_heads == 0
        self.hn = hidden_dim // num_heads
        self.ng = num_kv_heads
        self.np_per_ng = num_heads // num_kv_heads
        self.linear_qkv = nn.Linear(hidden_dim, num_kv_heads * (self.np_per_ng + 2) * self.hn)
        self.linear_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        b, s, _ = x.shape
        mixed = self.linear_qkv(x).view(b, s, self.ng, self.np_per_ng + 2, self.hn)
        query_layer, key_layer, value_layer = mixed.split([self.np_per_ng, 1, 1], dim=3)
        # [b, ng, np/ng, s, hn]
        query_layer = query_layer.permute(0, 2, 3, 1, 4)
        key_layer = key_layer.permute(0, 2, 3, 1, 4)
        value_layer = value_layer.permute(0, 2, 3, 1, 4)
        scores = query_layer @ key_layer.transpose(-2, -1) / math.sqrt(self.hn)
        if attention_mask is not None:
            keep = attention_mask != 0
            if keep.size(1) != 1:
                keep = keep.reshape(keep.size(0), self.ng, self.np_per_ng, *keep.shape[2:])
            else:
                keep = keep.unsqueeze(1)
            scores = scores.masked_fill(~keep, torch.finfo(scores.dtype).min)
        ctx = scores.softmax(-1) @ value_layer
        ctx = ctx.permute(0, 3, 1, 2, 4).reshape(b, s, -1)
        return self.linear_proj(ctx)
