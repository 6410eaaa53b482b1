# wrong: cross cross-wrong-source line 19
import math
import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, query, key, value, mask=None):
        q = self.q_proj(query).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        k = self.k_proj(key).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        v = self.v_proj(key).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        s = q @ k.mT / math.sqrt(q.size(-1))
        if mask is not None:
            s = s.masked_fill(mask[:, None] == 0, float("-inf"))
        return self.o_proj((s.softmax(-1) @ v).transpose(1, 2).flatten(2))
