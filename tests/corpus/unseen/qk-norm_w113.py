import torch
import torch.nn as nn
import torch.nn.functional as F


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(dim))
        self.eps = eps

    def forward(self, x):
        return x * (x.pow(2).mean(dim=-1, keepdim=True) + self.eps).rsqrt() * self.scale


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h = num_heads
        self.c_attn = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.q_norm = RMSNorm(hidden_dim)
        self.k_norm = RMSNorm(hidden_dim)
        self.c_proj = nn.Linear(hidden_dim, hidden_dim)

    def split_heads(self, t):
        b, n, c = t.shape
        return t.view(b, n, self.h, c // self.h).permute(0, 2, 1, 3)

    def forward(self, x):
        b, n, c = x.shape
        # project, then norm q and k
        q, k, v = self.c_attn(x).split(c, dim=2)

        q = self.split_heads(self.q_norm(q))
        k = self.split_heads(self.k_norm(k))
        v = self.split_heads(v)

        scores = torch.matmul(q, k.transpose(-2, -1)) / (c // self.h) ** 0.5
        mask = torch.ones(n, n, device=x.device).tril().bool()
        scores = scores.masked_fill(~mask, float("-inf"))
        out = torch.matmul(F.softmax(scores, dim=-1), v)
        out = out.permute(0, 2, 1, 3).contiguous().view(b, n, c)
        return self.c_proj(out)
