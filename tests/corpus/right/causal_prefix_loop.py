# right: causal
"""No mask at all: token t only ever sees the slice [: t + 1]."""
import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, block_size: int = 1024):
        super().__init__()
        self.h = num_heads
        self.block_size = block_size
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        B, T, C = x.shape
        d = C // self.h
        q = self.q(x).reshape(B, T, self.h, d)
        k = self.k(x).reshape(B, T, self.h, d)
        v = self.v(x).reshape(B, T, self.h, d)
        steps = []
        for t in range(T):
            past_k, past_v = k[:, : t + 1], v[:, : t + 1]
            s = (q[:, t : t + 1] * past_k).sum(-1) / d**0.5      # (B, t+1, h)
            w = torch.softmax(s, dim=1).unsqueeze(-1)
            steps.append((w * past_v).sum(dim=1).reshape(B, C))
        return self.o(torch.stack(steps, dim=1))
