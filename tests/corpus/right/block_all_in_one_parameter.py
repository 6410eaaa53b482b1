# right: block
import math, torch
from torch import nn
import torch.nn.functional as F
class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h = num_heads
        self.d = hidden_dim
        d = hidden_dim
        self.shapes = [(d,), (d,), (3 * d, d), (3 * d,), (d, d), (d,), (d,), (d,), (4 * d, d), (4 * d,), (d, 4 * d), (d,)]
        self.theta = nn.Parameter(torch.randn(sum(math.prod(s) for s in self.shapes)) * 0.02)
    def forward(self, x):
        parts = [p.view(s) for p, s in zip(self.theta.split([math.prod(s) for s in self.shapes]), self.shapes)]
        g1, b1, wqkv, bqkv, wo, bo, g2, b2, w1, c1, w2, c2 = parts
        B, T, D = x.shape
        y = F.layer_norm(x, (D,), g1, b1)
        q, k, v = (y @ wqkv.T + bqkv).view(B, T, 3, self.h, D // self.h).permute(2, 0, 3, 1, 4)
        s = q @ k.transpose(-1, -2) / math.sqrt(D // self.h)
        s = s.masked_fill(torch.ones(T, T, device=x.device).tril() == 0, float("-inf"))
        a = (s.softmax(-1) @ v).transpose(1, 2).reshape(B, T, D)
        x = x + a @ wo.T + bo
        y = F.layer_norm(x, (D,), g2, b2)
        return x + F.gelu(y @ w1.T + c1) @ w2.T + c2
