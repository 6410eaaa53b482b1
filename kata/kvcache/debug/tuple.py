import math

import torch
import torch.nn as nn


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.n_heads = num_heads
        self.d = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        B, T, C = x.shape
        q = self.q_proj(x).view(B, T, self.n_heads, self.d).transpose(1, 2)
        k = self.k_proj(x).view(B, T, self.n_heads, self.d).transpose(1, 2)
        v = self.v_proj(x).view(B, T, self.n_heads, self.d).transpose(1, 2)
        if cache is not None:
            k = torch.cat((cache[0], k), dim=-2)
            v = torch.cat((cache[1], v), dim=-2)
        S = k.size(-2)
        rows = torch.arange(S - T, S, device=x.device)[:, None]
        cols = torch.arange(S, device=x.device)[None, :]
        att = q @ k.transpose(-2, -1) / math.sqrt(self.d)
        att = att.masked_fill(cols > rows, float("-inf")).softmax(-1)
        y = (att @ v).transpose(1, 2).reshape(B, T, C)
        return self.o_proj(y), (k, v)
