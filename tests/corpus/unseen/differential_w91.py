import math
import torch
from torch import nn
from torch.nn import functional as F


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


def lambda_init_fn(depth):
    return 0.8 - 0.6 * math.exp(-0.3 * depth)


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        self.H = num_heads
        self.d = hidden_dim // num_heads // 2
        self.lambda_init = lambda_init_fn(depth)
        self.Wq = nn.Linear(hidden_dim, hidden_dim)
        self.Wk = nn.Linear(hidden_dim, hidden_dim)
        self.Wv = nn.Linear(hidden_dim, hidden_dim)
        self.Wo = nn.Linear(hidden_dim, hidden_dim)
        self.lambdas = nn.ParameterDict(
            {n: nn.Parameter(torch.zeros(self.d).normal_(0, 0.1)) for n in ("q1", "k1", "q2", "k2")}
        )
        self.head_norm = RMSNorm(self.d)

    def forward(self, x):
        b, t, c = x.shape
        q = self.Wq(x).view(b, t, 2 * self.H, self.d).transpose(1, 2)
        k = self.Wk(x).view(b, t, 2 * self.H, self.d).transpose(1, 2)
        v = self.Wv(x).view(b, t, self.H, 2 * self.d).transpose(1, 2)
        a = q @ k.transpose(-1, -2) / math.sqrt(self.d)
        a = a + torch.triu(torch.full((t, t), float("-inf"), device=x.device, dtype=a.dtype), 1)
        a = F.softmax(a, dim=-1)
        a1, a2 = a[:, 0::2], a[:, 1::2]
        l = self.lambdas
        lam = torch.exp((l["q1"] * l["k1"]).sum()) - torch.exp((l["q2"] * l["k2"]).sum()) + self.lambda_init
        y = self.head_norm((a1 - lam * a2) @ v) * (1 - self.lambda_init)
        return self.Wo(y.transpose(1, 2).reshape(b, t, c))
