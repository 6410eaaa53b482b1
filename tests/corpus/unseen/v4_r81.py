from __future__ import annotations

import dataclasses
import torch
from torch import Tensor, nn


@dataclasses.dataclass(frozen=True)
class Settings:
    width: int
    rate: float = 0.1

    @property
    def inv_temp(self) -> float:
        return self.width ** -0.5


class _Core(nn.Module):
    def __init__(self, cfg: Settings):
        super().__init__()
        self.cfg = cfg
        self.mats = nn.Parameter(torch.randn(3, cfg.width, cfg.width) * cfg.inv_temp)
        self.vecs = nn.Parameter(torch.zeros(3, cfg.width))
        self.drop = nn.Dropout(cfg.rate)

    def forward(self, x: Tensor, bias: Tensor | None) -> Tensor:
        # (3, B, T, D)
        q, k, v = torch.einsum("btd,rde->rbte", x, self.mats) + self.vecs[:, None, None]
        logits = torch.einsum("bte,bse->bts", q, k) * self.cfg.inv_temp
        if bias is not None:
            logits = logits + bias
        return torch.einsum("bts,bse->bte", self.drop(logits.softmax(-1)), v)


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.attn = _Core(Settings(hidden_dim, dropout))

    @staticmethod
    def to_bias(mask: Tensor, like: Tensor) -> Tensor:
        zero = torch.zeros_like(mask, dtype=like.dtype)
        return zero.masked_fill(mask == 0, torch.finfo(like.dtype).min / 2)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        bias = None if attention_mask is None else self.to_bias(attention_mask, x)
        return self.attn(x, bias)
