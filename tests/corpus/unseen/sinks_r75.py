from __future__ import annotations

import torch
from torch import Tensor, nn


class Голова(nn.Module):
    """Одна голова: место 0 в softmax занимает сток, его значение равно нулю."""

    def __init__(self, ширина: int, d: int) -> None:
        super().__init__()
        self.вход = nn.Parameter(torch.randn(3, ширина, d) * ширина**-0.5)
        self.выход = nn.Parameter(torch.randn(d, ширина) * ширина**-0.5)
        self.сток = nn.Parameter(torch.zeros(()))

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (x @ w for w in self.вход)
        n = x.shape[1]
        t = torch.arange(n, device=x.device)
        оценки = (q @ k.mT).div(q.shape[-1] ** 0.5).masked_fill(t > t[:, None], float("-inf"))
        строка = torch.cat([self.сток.to(оценки.dtype).expand(*оценки.shape[:2], 1), оценки], -1)
        ноль = torch.zeros_like(v[:, :1])
        return torch.softmax(строка, -1) @ torch.cat([ноль, v], 1) @ self.выход


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        if hidden_dim % num_heads:
            raise ValueError("hidden_dim % num_heads")
        self.головы = nn.ModuleList(Голова(hidden_dim, hidden_dim // num_heads) for _ in range(num_heads))

    def forward(self, x: Tensor) -> Tensor:
        return torch.stack([г(x) for г in self.головы]).sum(0)
