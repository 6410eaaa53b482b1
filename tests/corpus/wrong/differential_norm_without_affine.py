# wrong: differential head-norm-without-gain line 43
# fair: head-norm-without-gain 23
import math

import torch
from torch import Tensor, nn


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        self.n = num_heads
        self.hd = hidden_dim // num_heads
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim, bias=True)
        half = self.hd // 2
        self.lambdas = nn.ParameterDict({
            name: nn.Parameter(torch.empty(half).normal_(std=0.1))
            for name in ("lambda_q1", "lambda_k1", "lambda_q2", "lambda_k2")
        })
        self.norm = nn.RMSNorm(self.hd, eps=1e-5, elementwise_affine=False)
        self.start = 0.8 - 0.6 * math.exp(-0.3 * depth)

    def heads(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.n, self.hd)).transpose(1, 2)

    def one_map(self, q: Tensor, k: Tensor) -> Tensor:
        scores = q @ k.mT / math.sqrt(q.shape[-1])
        length = q.shape[-2]
        order = torch.arange(length, device=q.device)
        scores = torch.where(order[None, :] <= order[:, None], scores, torch.finfo(scores.dtype).min)
        return torch.softmax(scores, -1)

    def forward(self, x: Tensor) -> Tensor:
        q1, q2 = self.heads(self.to_q(x)).chunk(2, dim=-1)
        k1, k2 = self.heads(self.to_k(x)).chunk(2, dim=-1)
        v = self.heads(self.to_v(x))
        p = self.lambdas
        lam = (p["lambda_q1"] * p["lambda_k1"]).sum().exp() - (p["lambda_q2"] * p["lambda_k2"]).sum().exp() + self.start
        out = self.one_map(q1, k1) @ v - lam * (self.one_map(q2, k2) @ v)
        out = self.norm(out) * (1 - self.start)
        return self.to_out(out.transpose(1, 2).flatten(2))
