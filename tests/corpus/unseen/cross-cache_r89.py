import math

import torch
from torch import nn


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h = num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.kv_proj = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def build(self, memory, memory_lengths):
        k, v = self.kv_proj(memory).unflatten(-1, (2, self.h, -1)).permute(2, 0, 3, 1, 4)
        lengths = memory_lengths.to(memory.device)
        pad = torch.arange(memory.size(1), device=memory.device)[None] >= lengths[:, None]
        bias = memory.new_zeros(pad.shape).masked_fill(pad, float("-inf"))
        return {"k": k, "v": v, "bias": bias[:, None, None]}

    def forward(self, x, memory, memory_lengths, cache=None):
        if cache is None:
            cache = self.build(memory, memory_lengths)
        q = self.q_proj(x).unflatten(-1, (self.h, -1)).transpose(1, 2)
        s = q @ cache["k"].mT / math.sqrt(q.size(-1)) + cache["bias"]
        y = s.softmax(-1) @ cache["v"]
        return self.out_proj(y.transpose(1, 2).flatten(2)), cache
