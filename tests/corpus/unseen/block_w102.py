import math

import torch
from torch import nn


class CausalAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, u):
        batch, length, width = u.shape
        q, k, v = self.qkv(u).view(batch, length, 3, self.num_heads, -1).permute(2, 0, 3, 1, 4)
        scores = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(q.shape[-1])
        position = torch.arange(length, device=u.device)
        scores = torch.where(position[:, None] < position, -torch.inf, scores)
        return self.out(torch.matmul(scores.softmax(-1), v).transpose(1, 2).reshape(u.shape))


class FeedForward(nn.Module):
    def __init__(self, hidden_dim, factor=4):
        super().__init__()
        self.up = nn.Linear(hidden_dim, factor * hidden_dim)
        self.act = nn.GELU()
        self.down = nn.Linear(factor * hidden_dim, hidden_dim)

    def forward(self, u):
        return self.down(self.act(self.up(u)))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.attention = CausalAttention(hidden_dim, num_heads)
        self.mlp = FeedForward(hidden_dim)
        self.norms = nn.ModuleList([nn.LayerNorm(hidden_dim, eps=1e-5)] * 2)

    def forward(self, x):
        for norm, branch in zip(self.norms, (self.attention, self.mlp)):
            x = x + branch(norm(x))
        return x
