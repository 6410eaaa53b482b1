# wrong: block norm-eps line 18
import math
import torch
from torch import nn


class Norm(nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.alpha = nn.Parameter(torch.ones(dim))
        self.beta = nn.Parameter(torch.zeros(dim))
        self.eps = eps

    def forward(self, x):
        centred = x - x.mean(-1, keepdim=True)
        # the population's deviation, not the sample's
        sigma = centred.square().mean(-1, keepdim=True).sqrt()
        return self.alpha * centred / (sigma + self.eps) + self.beta


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h = num_heads
        self.d_k = hidden_dim // num_heads
        self.linears = nn.ModuleList(nn.Linear(hidden_dim, hidden_dim) for _ in range(4))
        self.norm_1, self.norm_2 = Norm(hidden_dim), Norm(hidden_dim)
        self.w_1 = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.w_2 = nn.Linear(4 * hidden_dim, hidden_dim)

    def self_attn(self, y):
        n = y.size(0)
        q, k, v = [lin(y).view(n, -1, self.h, self.d_k).transpose(1, 2) for lin in self.linears[:3]]
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.d_k)
        subsequent = torch.ones(y.size(1), y.size(1), device=y.device).tril() == 0
        p = scores.masked_fill(subsequent, float("-inf")).softmax(dim=-1)
        z = torch.matmul(p, v).transpose(1, 2).reshape(n, -1, self.h * self.d_k)
        return self.linears[3](z)

    def feed_forward(self, y):
        u = self.w_1(y)
        return self.w_2(u * 0.5 * (1.0 + torch.erf(u / math.sqrt(2.0))))

    def forward(self, x):
        x = x + self.self_attn(self.norm_1(x))
        return x + self.feed_forward(self.norm_2(x))
