import numpy as np
import torch
from einops import rearrange
from torch import nn


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        self.h = num_heads
        self.d = hidden_dim // (2 * num_heads)
        self.lambda_init = 0.8 - 0.6 * float(np.exp(-0.3 * depth))
        self.W_q = nn.Linear(hidden_dim, hidden_dim)
        self.W_k = nn.Linear(hidden_dim, hidden_dim)
        self.W_v = nn.Linear(hidden_dim, hidden_dim)
        self.W_o = nn.Linear(hidden_dim, hidden_dim)
        self.lq1, self.lk1, self.lq2, self.lk2 = (nn.Parameter(torch.randn(self.d) * 0.1) for _ in range(4))
        self.g = nn.Parameter(torch.ones(2 * self.d))

    def rmsnorm(self, t):
        return t / (t.square().mean(dim=-1, keepdim=True) + 1e-5).sqrt() * self.g

    def forward(self, x):
        n = x.shape[1]
        q = rearrange(self.W_q(x), "b n (h two d) -> two b h n d", h=self.h, two=2)
        k = rearrange(self.W_k(x), "b n (h two d) -> two b h n d", h=self.h, two=2)
        v = rearrange(self.W_v(x), "b n (h e) -> b h n e", h=self.h)

        causal = torch.tril(torch.ones(n, n, device=x.device)) == 0
        scores = q @ k.mT / self.d**0.5
        A1, A2 = torch.softmax(scores.masked_fill(causal, -torch.inf), dim=-1)

        lam = torch.exp(self.lq1 @ self.lk1) - torch.exp(self.lq2 @ self.lk2) + self.lambda_init
        out = (A1 - lam * A2) @ v
        out = self.rmsnorm((1 - self.lambda_init) * out)
        return self.W_o(rearrange(out, "b h n e -> b n (h e)"))
