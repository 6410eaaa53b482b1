import math
import torch
from torch import nn


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.n = num_heads
        self.c_attn = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.c_proj = nn.Linear(hidden_dim, hidden_dim)
        self.gains = nn.Parameter(torch.ones(2, hidden_dim // num_heads))

    def norm(self, t, i):
        ms = (t * t).mean(2, keepdim=True)
        return self.gains[i] * t * torch.rsqrt(ms + 1e-6)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = (t.view(B, T, self.n, C // self.n).transpose(1, 2) for t in self.c_attn(x).split(C, 2))
        q = self.norm(q, 0)
        k = self.norm(k, 1)
        att = q @ k.transpose(2, 3) / math.sqrt(C // self.n)
        att = att + torch.full((T, T), -math.inf, dtype=x.dtype, device=x.device).triu(1)
        y = att.softmax(3) @ v
        return self.c_proj(y.transpose(1, 2).contiguous().view(B, T, C))
