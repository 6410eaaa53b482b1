import torch
from torch import nn


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h, self.d = num_heads, hidden_dim // num_heads
        self.qkv, self.out = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False), nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.q_norm, self.k_norm = nn.RMSNorm(self.d, eps=1e-6), nn.RMSNorm(self.d, eps=1e-6)

    def forward(self, x):
        q, k, v = (t.unflatten(-1, (self.h, self.d)).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        q, k = self.q_norm(q), self.q_norm(k)
        s = (q @ k.mT) / self.d**0.5
        s = s.masked_fill(torch.ones_like(s).triu(1) == 1, float("-inf"))
        return self.out((s.softmax(-1) @ v).transpose(1, 2).flatten(-2))
