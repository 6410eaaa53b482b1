import torch
import torch.nn as nn
import math


class DiffHead(nn.Module):
    """one head: two small attentions, subtracted"""

    def __init__(self, dim, size):
        super().__init__()
        self.size = size
        self.q = nn.Linear(dim, 2 * size, bias=False)
        self.k = nn.Linear(dim, 2 * size, bias=False)
        self.v = nn.Linear(dim, 2 * size, bias=False)

    def forward(self, x, lam):
        T = x.shape[1]
        mask = torch.tril(torch.ones(T, T, device=x.device)) == 0
        q1, q2 = self.q(x).split(self.size, dim=-1)
        k1, k2 = self.k(x).split(self.size, dim=-1)
        maps = []
        for q, k in ((q1, k1), (q2, k2)):
            w = q @ k.transpose(1, 2) * self.size ** -0.5
            maps.append(w.masked_fill(mask, float("-inf")).softmax(dim=-1))
        return (maps[0] - lam * maps[1]) @ self.v(x)


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        size = hidden_dim // num_heads // 2
        self.heads = nn.ModuleList([DiffHead(hidden_dim, size) for _ in range(num_heads)])
        self.lambda_q1 = nn.Parameter(torch.randn(size) / 10)
        self.lambda_k1 = nn.Parameter(torch.randn(size) / 10)
        self.lambda_q2 = nn.Parameter(torch.randn(size) / 10)
        self.lambda_k2 = nn.Parameter(torch.randn(size) / 10)
        self.gamma = nn.Parameter(torch.ones(2 * size))
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.lambda_init = .8 - .6 * math.exp(-.3 * depth)

    def forward(self, x):
        lam = torch.exp(self.lambda_q1.dot(self.lambda_k1)) - torch.exp(self.lambda_q2.dot(self.lambda_k2)) + self.lambda_init
        outs = []
        for head in self.heads:
            o = head(x, lam)
            rms = torch.sqrt(o.pow(2).mean(dim=-1, keepdim=True) + 1e-5)
            outs.append(self.gamma * o / rms * (1 - self.lambda_init))
        return self.out(torch.cat(outs, dim=-1))
