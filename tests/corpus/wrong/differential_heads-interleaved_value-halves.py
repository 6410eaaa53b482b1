# wrong: differential heads-interleaved line 38
import math

import torch
from torch import nn


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads // 2
        self.init = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.lq1 = nn.Parameter(torch.randn(self.head_dim) * 0.1)
        self.lk1 = nn.Parameter(torch.randn(self.head_dim) * 0.1)
        self.lq2 = nn.Parameter(torch.randn(self.head_dim) * 0.1)
        self.lk2 = nn.Parameter(torch.randn(self.head_dim) * 0.1)
        self.norm = nn.RMSNorm(2 * self.head_dim, eps=1e-5)

    def heads(self, x):
        return x.unflatten(-1, (self.num_heads, 2, self.head_dim)).permute(3, 0, 2, 1, 4)

    def weights(self, q, k):
        scores = q @ k.mT / math.sqrt(self.head_dim)
        later = torch.ones_like(scores[0, 0], dtype=torch.bool).triu(1)
        return scores.masked_fill(later, float("-inf")).softmax(-1)

    def forward(self, x):
        (q1, q2), (k1, k2) = self.heads(self.q_proj(x)), self.heads(self.k_proj(x))
        # the value of a head belongs to both maps: one half for each
        first, second = self.v_proj(x).chunk(2, dim=-1)
        first = first.unflatten(-1, (self.num_heads, self.head_dim))
        second = second.unflatten(-1, (self.num_heads, self.head_dim))
        value = torch.cat([first, second], dim=-1).transpose(1, 2)
        lam = (self.lq1 @ self.lk1).exp() - (self.lq2 @ self.lk2).exp() + self.init
        y = (self.weights(q1, k1) - lam * self.weights(q2, k2)) @ value
        y = self.norm(y) * (1 - self.init)
        return self.out_proj(y.transpose(1, 2).flatten(2))
