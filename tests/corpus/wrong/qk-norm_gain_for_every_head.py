# wrong: qk-norm qk-norm-gain-per-head line 22
import torch
from torch import nn


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.q_norm = nn.Parameter(torch.ones(num_heads, 1, self.head_dim))
        self.k_norm = nn.Parameter(torch.ones(num_heads, 1, self.head_dim))

    def forward(self, x):
        B, L, D = x.shape
        heads = lambda t: t.view(B, L, self.num_heads, self.head_dim).transpose(1, 2)
        q, k, v = heads(self.q_proj(x)), heads(self.k_proj(x)), heads(self.v_proj(x))
        q = q * torch.rsqrt(q.pow(2).mean(-1, keepdim=True) + 1e-6) * self.q_norm
        k = k * torch.rsqrt(k.pow(2).mean(-1, keepdim=True) + 1e-6) * self.k_norm
        scores = q @ k.transpose(-2, -1) / self.head_dim ** 0.5
        scores = scores.masked_fill(torch.triu(torch.ones(L, L, device=x.device), 1).bool(), -1e9)
        y = scores.softmax(-1) @ v
        return self.o_proj(y.transpose(1, 2).reshape(B, L, D))
