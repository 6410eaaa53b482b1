# right: differential
import math, torch
from torch import nn


class DiffAttn(nn.Module):
    def __init__(self, embed_dim, num_heads, depth):
        super().__init__()
        self.h, self.d = num_heads, embed_dim // num_heads // 2
        self.li = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.q1, self.q2, self.k1, self.k2 = (nn.Linear(embed_dim, embed_dim // 2, bias=False) for _ in range(4))
        self.v, self.o = (nn.Linear(embed_dim, embed_dim, bias=False) for _ in range(2))
        for n in ("lambda_q1", "lambda_k1", "lambda_q2", "lambda_k2"):
            self.register_parameter(n, nn.Parameter(torch.randn(self.d) * .1))
        self.g = nn.Parameter(torch.ones(2 * self.d))

    def forward(self, x):
        B, T, _ = x.shape
        cut = lambda t: t.view(B, T, self.h, -1).transpose(1, 2)
        blocked = torch.ones(T, T, dtype=torch.bool, device=x.device).triu(1)
        amap = lambda q, k: (cut(q(x)) @ cut(k(x)).mT / self.d ** .5).masked_fill(blocked, -torch.inf).softmax(-1)
        lam = torch.exp((self.lambda_q1 * self.lambda_k1).sum()) - torch.exp((self.lambda_q2 * self.lambda_k2).sum()) + self.li
        y = (amap(self.q1, self.k1) - lam * amap(self.q2, self.k2)) @ cut(self.v(x))
        y = y / (y.pow(2).mean(-1, keepdim=True) + 1e-5).sqrt() * self.g * (1 - self.li)
        return self.o(y.transpose(1, 2).reshape(B, T, -1))
