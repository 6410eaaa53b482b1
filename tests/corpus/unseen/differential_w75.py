import math
import torch
from torch import nn


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // (2 * num_heads)
        self.lambda_init = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        make = lambda: nn.Parameter(torch.randn(self.head_dim) * 0.1)
        self.lq1, self.lk1, self.lq2, self.lk2 = make(), make(), make(), make()
        self.gamma = nn.Parameter(torch.ones(2 * self.head_dim))

    def forward(self, x):
        B, L, _ = x.shape
        q = self.wq(x).unflatten(-1, (2 * self.num_heads, -1)).transpose(1, 2)
        k = self.wk(x).unflatten(-1, (2 * self.num_heads, -1)).transpose(1, 2)
        v = self.wv(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        causal = torch.ones(L, L, dtype=torch.bool, device=x.device).tril()
        scores = q @ k.mT / math.sqrt(self.head_dim)
        probs = scores.masked_fill(~causal, float("-inf")).softmax(dim=-1)
        a1, a2 = probs.chunk(2, dim=1)
        lam = (self.lq1 @ self.lk1).exp() - (self.lq2 @ self.lk2).exp() + self.lambda_init
        ctx = (a1 - lam * a2) @ v
        rms = ctx.square().mean(dim=-1, keepdim=True).add(1e-5).sqrt()
        ctx = ctx / rms * self.gamma * (1 - self.lambda_init)
        return self.wo(ctx.transpose(1, 2).flatten(2))
