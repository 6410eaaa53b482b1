from __future__ import annotations

from typing import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Gain(nn.Module):
    def __init__(self, n: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(n))

    def forward(self, u: Tensor) -> Tensor:
        return F.rms_norm(u, u.shape[-1:], self.weight, eps=1e-6)


class QKNormAttention(nn.Module):
    """A Sequential for each head and role; the two gains are put into every head."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        n = hidden_dim // num_heads
        lin: Callable[[], nn.Linear] = lambda: nn.Linear(hidden_dim, n)
        tail = {"q": Gain(n), "k": Gain(n), "v": nn.Identity()}
        self.heads = nn.ModuleList(
            nn.ModuleDict({role: nn.Sequential(lin(), end) for role, end in tail.items()})
            for _ in range(num_heads)
        )
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        self.divide = lambda s: s / n**0.5

    def forward(self, x: Tensor) -> Tensor:
        t = x.size(1)
        places = torch.arange(t, device=x.device)
        seen = places.unsqueeze(0) <= places.unsqueeze(1)
        lines = []
        for head in self.heads:
            q, k, v = (head[role](x) for role in "qkv")
            s = self.divide(q @ k.transpose(1, 2))
            s = torch.where(seen, s, torch.finfo(s.dtype).min)
            lines.append(s.softmax(-1) @ v)
        return self.wo(torch.cat(lines, -1))
