import math

import torch
import torch.nn as nn


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.nh = num_heads
        self.hd = hidden_dim // num_heads
        self.c_attn = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.q_norm = nn.RMSNorm(self.hd)
        self.k_norm = nn.RMSNorm(self.hd)
        self.c_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = (t.view(B, T, self.nh, self.hd).transpose(1, 2) for t in self.c_attn(x).split(C, -1))
        q, k = self.q_norm(q), self.k_norm(k)
        att = q @ k.transpose(-2, -1) / math.sqrt(self.hd)
        att += torch.full((T, T), -torch.inf, device=x.device, dtype=att.dtype).triu(1)
        y = att.softmax(-1) @ v
        return self.c_proj(y.transpose(1, 2).reshape(B, T, C))
