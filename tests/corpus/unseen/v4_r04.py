from __future__ import annotations

import torch
from torch import Tensor, nn


class _Masking:
    def log_mask(self, mask: Tensor | None, like: Tensor) -> Tensor | float:
        """0 where allowed, -inf where not."""
        if mask is None:
            return 0.0
        return mask.to(torch.bool).to(like.dtype).log()


class _Projecting:
    def add_projections(self, dim: int, names: str) -> None:
        for name in names:
            self.register_parameter(f"w_{name}", nn.Parameter(torch.randn(dim, dim) / dim**0.5))
            self.register_parameter(f"b_{name}", nn.Parameter(torch.zeros(dim)))

    def project(self, name: str, x: Tensor) -> Tensor:
        return torch.matmul(x, getattr(self, f"w_{name}")) + getattr(self, f"b_{name}")


class SelfAttentionV4(_Masking, _Projecting, nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.add_projections(hidden_dim, "qkvo")
        self.rate = dropout

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = (self.project(n, x) for n in "qkv")
        s = q @ (k * x.size(-1) ** -0.5).transpose(-1, -2)
        s = s + self.log_mask(attention_mask, s)
        p = s.log_softmax(-1).exp()
        if self.training and self.rate > 0:
            p = torch.dropout(p, self.rate, True)
        return self.project("o", p @ v)
