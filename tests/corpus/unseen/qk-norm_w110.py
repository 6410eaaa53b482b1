from __future__ import annotations

import torch
from torch import Tensor, nn


class GemmaRMSNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def _norm(self, x: Tensor) -> Tensor:
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)

    def forward(self, x: Tensor) -> Tensor:
        return self._norm(x) * (1.0 + self.weight)


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.o = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.query_norm = GemmaRMSNorm(self.head_dim)
        self.key_norm = GemmaRMSNorm(self.head_dim)

    def forward(self, x: Tensor) -> Tensor:
        b, t, c = x.shape
        xqkv = self.qkv(x).view(b, t, 3, self.num_heads, self.head_dim)
        xq, xk, xv = xqkv.unbind(dim=2)
        xq, xk = self.query_norm(xq), self.key_norm(xk)
        scores = torch.einsum("bqnh,bknh->bnqk", xq, xk) / self.head_dim ** 0.5
        causal = torch.tril(torch.ones(t, t, dtype=torch.bool, device=x.device))
        scores = torch.where(causal, scores, torch.finfo(scores.dtype).min)
        out = torch.einsum("bnqk,bknh->bqnh", scores.softmax(dim=-1), xv)
        return self.o(out.reshape(b, t, c))
