import torch
import torch.nn as nn


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.variance_epsilon = eps

    def forward(self, hidden_states):
        variance = hidden_states.var(-1, keepdim=True, unbiased=False)
        hidden_states = hidden_states * torch.rsqrt(variance + self.variance_epsilon)
        return self.weight * hidden_states


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wv = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.query_norm = RMSNorm(self.head_dim)
        self.key_norm = RMSNorm(self.head_dim)

    def forward(self, x):
        B, T, C = x.shape
        shape = (B, T, self.num_heads, self.head_dim)
        q = self.query_norm(self.wq(x).view(shape)).transpose(1, 2)
        k = self.key_norm(self.wk(x).view(shape)).transpose(1, 2)
        v = self.wv(x).view(shape).transpose(1, 2)
        att = q @ k.transpose(2, 3) / self.head_dim ** 0.5
        att = att.masked_fill(torch.ones(T, T, device=x.device).tril() == 0, float("-inf"))
        return self.wo((att.softmax(-1) @ v).transpose(1, 2).reshape(B, T, C))
