# wrong: differential lambda-init-wrong line 24
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class DifferentialAttention(nn.Module):
    # lambda is folded into the values of the second map, the norm's scale into its gain
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        self.H = num_heads
        self.d = hidden_dim // (2 * num_heads)
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        self.lambdas = nn.Parameter(torch.randn(4, self.d) * 0.1)  # q1, k1, q2, k2
        self.gain = nn.Parameter(torch.ones(2 * self.d))
        self.depth = depth

    def forward(self, x):
        B, T, C = x.shape
        init = 0.8
        q1, k1, q2, k2 = self.lambdas
        lam = q1.dot(k1).exp() - q2.dot(k2).exp() + init
        q = self.wq(x).view(B, T, 2 * self.H, self.d).transpose(1, 2)
        k = self.wk(x).view(B, T, 2 * self.H, self.d).transpose(1, 2)
        v = self.wv(x).view(B, T, self.H, 2 * self.d).transpose(1, 2)
        w = q @ k.transpose(-2, -1) / math.sqrt(self.d)
        w = w.masked_fill(torch.ones(T, T, dtype=torch.bool, device=x.device).triu(diagonal=1), float("-inf"))
        w = F.softmax(w, dim=-1)
        both = w @ torch.stack([v, -lam * v], dim=2).flatten(1, 2)
        head = both.view(B, self.H, 2, T, 2 * self.d).sum(2)
        head = F.rms_norm(head, (2 * self.d,), weight=self.gain * (1 - init), eps=1e-5)
        return self.wo(head.transpose(1, 2).reshape(B, T, C))
