# wrong: cross-cache cache-stale line 34
import math

import torch
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query_proj = nn.Linear(hidden_dim, hidden_dim)
        self.key_proj = nn.Linear(hidden_dim, hidden_dim)
        self.value_proj = nn.Linear(hidden_dim, hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def shaped(self, t):
        return t.reshape(t.shape[0], -1, self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, x, memory, memory_lengths, past=None):
        q = self.shaped(self.query_proj(x))
        new_k = self.shaped(self.key_proj(memory))
        new_v = self.shaped(self.value_proj(memory))
        k, v, lengths = new_k, new_v, memory_lengths
        if past is not None:
            k, v, lengths = past
        index = torch.arange(k.shape[2], device=k.device)
        scores = torch.einsum("bhtd,bhsd->bhts", q, k) / math.sqrt(self.head_dim)
        hide = index[None, None, None, :] >= lengths[:, None, None, None]
        attn = scores.masked_fill(hide, float("-inf")).softmax(dim=-1)
        out = torch.einsum("bhts,bhsd->bthd", attn, v).flatten(2)
        y = self.out_proj(out)
        return y, (new_k, new_v, memory_lengths)
