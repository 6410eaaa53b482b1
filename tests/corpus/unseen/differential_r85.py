from __future__ import annotations

import torch
from torch import Tensor, nn


class DifferentialAttention(nn.Module):
    """(A1 - λ A2) V is taken as A1 V - λ (A2 V): two ordinary attentions and a subtraction.

    Weights of heads are kept apart: to_q and to_k are (heads, map, width, d), to_v (heads, width, 2d).
    """

    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        d = hidden_dim // (2 * num_heads)
        init = lambda *shape: nn.Parameter(torch.randn(*shape) / hidden_dim**0.5)  # noqa: E731
        self.to_q, self.to_k = init(num_heads, 2, hidden_dim, d), init(num_heads, 2, hidden_dim, d)
        self.to_v = init(num_heads, hidden_dim, 2 * d)
        self.to_out = init(num_heads, 2 * d, hidden_dim)
        # [map, query or key, d]
        self.lam = nn.Parameter(0.1 * torch.randn(2, 2, d))
        self.norm = nn.RMSNorm(2 * d, eps=1e-5)
        self.lambda_init = 0.8 - 0.6 * 2.718281828459045 ** (-0.3 * depth)

    def lambda_(self) -> Tensor:
        first, second = self.lam.prod(dim=1).sum(dim=-1).exp()
        return first - second + self.lambda_init

    @staticmethod
    def causal(scores: Tensor) -> Tensor:
        t = scores.size(-1)
        above = torch.triu_indices(t, t, offset=1, device=scores.device)
        hole = torch.zeros(t, t, dtype=torch.bool, device=scores.device)
        hole[above[0], above[1]] = True
        return scores.masked_fill(hole, torch.finfo(scores.dtype).min)

    def forward(self, x: Tensor) -> Tensor:
        q = torch.einsum("btc,hmcd->mbhtd", x, self.to_q)
        k = torch.einsum("btc,hmcd->mbhtd", x, self.to_k)
        v = torch.einsum("btc,hce->bhte", x, self.to_v)
        maps = self.causal(q @ k.mT / q.size(-1) ** 0.5).softmax(-1)
        signal, noise = maps @ v                               # each (b, h, t, 2d)
        head = self.norm(torch.addcmul(signal, noise, self.lambda_(), value=-1))
        return torch.einsum("bhte,hec->btc", head, self.to_out) * (1 - self.lambda_init)
