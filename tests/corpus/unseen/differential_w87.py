import math

import torch
from torch import Tensor, nn


def lambda_start(depth: int) -> float:
    return 0.8 - 0.6 * math.exp(0.3 * depth)


def parts(t: Tensor, n: int) -> Tensor:
    return t.unflatten(-1, (n, -1)).transpose(1, 2)


def causal_map(q: Tensor, k: Tensor) -> Tensor:
    s = q @ k.mT / math.sqrt(q.shape[-1])
    future = torch.ones(s.shape[-2:], dtype=torch.bool, device=s.device).triu(1)
    return s.masked_fill(future, -math.inf).softmax(-1)


def rms(t: Tensor, weight: Tensor, eps: float = 1e-5) -> Tensor:
    return t * torch.rsqrt(t.square().mean(-1, keepdim=True) + eps) * weight


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        head_dim = hidden_dim // (2 * num_heads)
        self.lambda_init = lambda_start(depth)
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.lambda_q1 = nn.Parameter(torch.randn(head_dim) * 0.1)
        self.lambda_k1 = nn.Parameter(torch.randn(head_dim) * 0.1)
        self.lambda_q2 = nn.Parameter(torch.randn(head_dim) * 0.1)
        self.lambda_k2 = nn.Parameter(torch.randn(head_dim) * 0.1)
        self.norm_weight = nn.Parameter(torch.ones(2 * head_dim))

    def current_lambda(self) -> Tensor:
        first = (self.lambda_q1 * self.lambda_k1).sum().exp()
        second = (self.lambda_q2 * self.lambda_k2).sum().exp()
        return first - second + self.lambda_init

    def forward(self, x: Tensor) -> Tensor:
        q, k = parts(self.q_proj(x), 2 * self.num_heads), parts(self.k_proj(x), 2 * self.num_heads)
        v = parts(self.v_proj(x), self.num_heads)
        maps = causal_map(q, k).unflatten(1, (self.num_heads, 2))
        weights = maps[:, :, 0] - self.current_lambda() * maps[:, :, 1]
        heads = (1 - self.lambda_init) * rms(weights @ v, self.norm_weight)
        return self.out_proj(heads.transpose(1, 2).flatten(2))
