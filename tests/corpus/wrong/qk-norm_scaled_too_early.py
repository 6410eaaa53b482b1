# wrong: qk-norm scale-before-norm line 31
import math
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, d: int, eps: float = 1e-6):
        super().__init__()
        self.g = nn.Parameter(torch.ones(d))
        self.eps = eps

    def forward(self, x):
        return x / torch.sqrt(x.pow(2).mean(dim=-1, keepdim=True) + self.eps) * self.g


class NormedAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim, hidden_dim)
        self.norm_q = RMSNorm(self.head_dim)
        self.norm_k = RMSNorm(self.head_dim)

    def forward(self, x):
        b, n, e = x.shape
        query = self.query(x).reshape(b, n, self.num_heads, self.head_dim).permute(0, 2, 1, 3) / math.sqrt(self.head_dim)
        key = self.key(x).reshape(b, n, self.num_heads, self.head_dim).permute(0, 2, 1, 3)
        value = self.value(x).reshape(b, n, self.num_heads, self.head_dim).permute(0, 2, 1, 3)
        query = self.norm_q(query)
        key = self.norm_k(key)
        scores = query @ key.transpose(-1, -2)
        hidden = torch.triu(torch.ones(n, n, dtype=torch.bool, device=x.device), diagonal=1)
        weights = scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)
        return self.output((weights @ value).permute(0, 2, 1, 3).reshape(b, n, e))
