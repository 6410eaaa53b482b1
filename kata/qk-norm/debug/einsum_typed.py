from __future__ import annotations

import torch
from torch import Tensor, nn


class Norm(nn.Module):
    def __init__(self, features: int) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(features))

    def forward(self, vectors: Tensor) -> Tensor:
        length = (vectors.square().mean(-1, keepdim=True) + 1e-6).sqrt()
        return vectors / length * self.gain


class NormedAttention(nn.Module):
    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.head_dim = dim // heads
        self.to_q = nn.Linear(dim, dim, bias=False)
        self.to_k = nn.Linear(dim, dim, bias=False)
        self.to_v = nn.Linear(dim, dim, bias=False)
        self.to_out = nn.Linear(dim, dim, bias=False)
        self.norm_q = Norm(self.head_dim)
        self.norm_k = Norm(self.head_dim)

    def split(self, projected: Tensor) -> Tensor:
        return projected.unflatten(-1, (self.heads, self.head_dim))

    def forward(self, x: Tensor) -> Tensor:
        q = self.norm_q(self.split(self.to_q(x)))
        k = self.norm_k(self.split(self.to_k(x)))
        v = self.split(self.to_v(x))
        scores = torch.einsum("bihd,bjhd->bhij", q, k) / self.head_dim**0.5
        place = torch.arange(x.shape[1], device=x.device)
        later = place[None, :] > place[:, None]
        scores = scores.masked_fill(later, -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        mixed = torch.einsum("bhij,bjhd->bihd", weights, v)
        return self.to_out(mixed.flatten(2))
