# attn-kata: v4
from __future__ import annotations

import torch
from torch import Tensor, nn


class Ausfall(nn.Module):
    """Dropout von Hand, damit man sieht, was passiert."""

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate

    def forward(self, gewichte: Tensor) -> Tensor:
        if not self.training or self.rate == 0.0:
            return gewichte
        behalten = torch.rand_like(gewichte) >= self.rate
        return gewichte * behalten

    def extra_repr(self) -> str:
        return f"rate={self.rate}"


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.Q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.K = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.V = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.ausfall = Ausfall(dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = self.Q(x), self.K(x), self.V(x)
        # durch Wurzel d teilen, sonst wird der Softmax zu spitz
        s = torch.bmm(q, k.mT) / q.shape[-1] ** 0.5
        if attention_mask is not None:
            erlaubt = attention_mask.bool()
            s = torch.where(erlaubt, s, torch.full_like(s, torch.finfo(s.dtype).min))
        w = self.ausfall(torch.softmax(s, dim=2))
        return torch.bmm(w, v)
