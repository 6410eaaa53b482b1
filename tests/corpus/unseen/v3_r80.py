# attn-kata: v3
from __future__ import annotations
from dataclasses import dataclass
import torch
from torch import nn, Tensor


@dataclass(frozen=True)
class Cfg:
    width: int
    drop: float = 0.1

    @property
    def scale(self) -> float:
        return self.width ** -0.5


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.cfg = Cfg(hidden_dim, dropout)
        self.qkv = nn.Linear(hidden_dim, hidden_dim * 3)
        self.drop = nn.Dropout(p=self.cfg.drop)
        self.proj = nn.Linear(hidden_dim, hidden_dim)

    def _hide(self, s: Tensor, allow: Tensor | None) -> Tensor:
        if allow is None:
            return s
        lowest = torch.finfo(s.dtype).min
        return torch.where(allow.to(torch.bool), s, torch.full_like(s, lowest))

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = torch.tensor_split(self.qkv(x), 3, dim=-1)
        s = torch.einsum("bqd,bkd->bqk", q * self.cfg.scale, k)
        p = self.drop(self._hide(s, attention_mask).softmax(dim=-1))
        return self.proj(torch.einsum("bqk,bkd->bqd", p, v))
