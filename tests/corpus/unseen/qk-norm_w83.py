import torch
import torch.nn as nn
import torch.nn.functional as F


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.n_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, hidden_dim * 3, bias=False)
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.q_norm = RMSNorm(self.head_dim)
        self.k_norm = self.q_norm

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(x).reshape(B, T, 3, self.n_heads, self.head_dim).permute(2, 0, 3, 1, 4).unbind(0)
        q, k = self.q_norm(q), self.k_norm(k)
        attn = q * self.head_dim ** -0.5 @ k.transpose(-2, -1)
        attn = attn.masked_fill(torch.ones(T, T, device=x.device, dtype=torch.bool).triu(1), float("-inf"))
        attn = attn.softmax(dim=-1)
        return self.out((attn @ v).transpose(1, 2).reshape(B, T, C))
