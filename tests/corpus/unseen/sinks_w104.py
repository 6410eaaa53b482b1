import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.c_attn = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.c_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.sinks = nn.Parameter(torch.randn(num_heads))

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(C, dim=2)
        q = q.view(B, T, self.num_heads, self.head_dim).transpose(1, 2)
        k = k.view(B, T, self.num_heads, self.head_dim).transpose(1, 2)
        v = v.view(B, T, self.num_heads, self.head_dim).transpose(1, 2)

        att = q @ k.transpose(-2, -1)
        mask = torch.triu(torch.ones(T, T, dtype=torch.bool, device=x.device), diagonal=1)
        att = att.masked_fill(mask, float("-inf"))
        sink = self.sinks.view(1, -1, 1, 1).expand(B, -1, T, 1)
        logits = torch.cat([att, sink], dim=-1) / math.sqrt(self.head_dim)
        weights = F.softmax(logits, dim=-1)[..., :-1]

        y = weights @ v
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        return self.c_proj(y)
