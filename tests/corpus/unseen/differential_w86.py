import math
import torch
from torch import nn


class DifferentialAttention(nn.Module):

    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        self.num_heads = num_heads
        self.half = hidden_dim // (2 * num_heads)
        self.depth = depth
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.dense = nn.Linear(hidden_dim, hidden_dim)
        self.lambdas = nn.Parameter(torch.randn(4, self.half) * 0.1)  # q1 k1 q2 k2
        self.gain = nn.Parameter(torch.ones(2 * self.half))

    def forward(self, x):
        B, T, D = x.shape
        H, d = self.num_heads, self.half

        # Q, K: Kopf, Karte, Breite
        q = self.query(x).reshape(B, T, H, 2, d).permute(3, 0, 2, 1, 4)
        k = self.key(x).reshape(B, T, H, 2, d).permute(3, 0, 2, 4, 1)
        v = self.value(x).reshape(B, T, H, 2 * d).permute(0, 2, 1, 3)

        # kausale Maske
        mask = torch.ones(T, T, device=x.device).tril()
        scores = torch.matmul(q, k) / math.sqrt(d)
        scores = scores.masked_fill(mask == 0, float('-inf'))
        karten = torch.softmax(scores, dim=-1)

        # Lambda
        lambda_init = 0.8 - 0.6 * math.exp(-0.3 * self.depth)
        q1, k1, q2, k2 = self.lambdas
        lam = torch.exp((q1 * k1).sum()) - torch.exp((q2 * k2).sum())
        lam = lam + lambda_init

        # Differenz
        out = torch.matmul(karten[0] - lam * karten[1], v)

        # RMSNorm je Kopf
        out = out / torch.sqrt(out.square().mean(dim=-1, keepdim=True) + 1e-5)
        out = out * self.gain
        out = out * (1 - lam)

        out = out.permute(0, 2, 1, 3).reshape(B, T, D)
        return self.dense(out)
