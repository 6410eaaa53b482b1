from __future__ import annotations
import dataclasses
import torch
from torch import nn, Tensor


@dataclasses.dataclass(frozen=True)
class _Cfg:
    width: int
    p: float = 0.1

    @property
    def inv_temperature(self):
        return 1.0 / self.width ** 0.5


class _Dropper(nn.Module):
    """inverted dropout written out"""

    def __init__(self, p):
        super().__init__()
        self.p = float(p)

    def forward(self, w):
        if not self.training or self.p == 0.0:
            return w
        if self.p >= 1.0:
            return w * 0.0
        keep = torch.empty_like(w).bernoulli_(1.0 - self.p)
        return w * keep / (1.0 - self.p)


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.cfg = _Cfg(hidden_dim, dropout)
        self.to_q = nn.Linear(hidden_dim, hidden_dim)
        self.to_kv = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.to_out = nn.Sequential(nn.Linear(hidden_dim, hidden_dim), nn.Identity())
        self.drop = _Dropper(dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q = self.to_q(x) * self.cfg.inv_temperature
        k, v = self.to_kv(x).chunk(2, -1)
        s = q @ k.mT
        if attention_mask is not None:
            s = torch.where(attention_mask.bool(), s, torch.finfo(s.dtype).min)
        return self.to_out(self.drop(s.softmax(-1)) @ v)
