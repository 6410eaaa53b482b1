import math

import torch
from torch import Tensor, nn


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        self.heads = num_heads
        self.head_dim = hidden_dim // (2 * num_heads)
        self.q, self.k, self.v, self.o = (nn.Linear(hidden_dim, hidden_dim, bias=False) for _ in range(4))
        self.lq1, self.lk1, self.lq2, self.lk2 = (
            nn.Parameter(torch.randn(self.head_dim) * 0.1) for _ in range(4)
        )
        self.gain = nn.Parameter(torch.ones(2 * self.head_dim))
        self.lambda_init = 0.8 - 0.6 * math.exp(-0.3 * depth) if depth else 0.8

    def _lambda(self) -> Tensor:
        first = torch.exp((self.lq1 * self.lk1).sum())
        second = torch.exp((self.lq2 * self.lk2).sum())
        return first - second + self.lambda_init

    def forward(self, x: Tensor) -> Tensor:
        b, n, c = x.shape
        q = self.q(x).view(b, n, self.heads, 2, self.head_dim)
        k = self.k(x).view(b, n, self.heads, 2, self.head_dim)
        v = self.v(x).view(b, n, self.heads, 2 * self.head_dim)
        scores = torch.einsum("bnhsd,bmhsd->bhsnm", q, k) / math.sqrt(self.head_dim)
        later = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
        maps = scores.masked_fill(later, -math.inf).softmax(dim=-1)
        weights = maps[:, :, 0] - self._lambda() * maps[:, :, 1]
        head = torch.einsum("bhnm,bmhe->bnhe", weights, v)
        head = head * torch.rsqrt(head.pow(2).mean(-1, keepdim=True) + 1e-5) * self.gain
        return self.o((head * (1 - self.lambda_init)).reshape(b, n, c))
