from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class AttnCfg:
    width: int
    attn_drop: float = 0.1
    qkv_bias: bool = False

    @property
    def temperature(self) -> float:
        return self.width**0.5


class Inverted(nn.Module):
    """Inverted dropout, written out."""

    def __init__(self, p: float):
        super().__init__()
        self.p = p

    def forward(self, w: Tensor) -> Tensor:
        if not self.training or self.p == 0.0:
            return w
        if self.p >= 1.0:
            return w * 0.0
        keep = torch.rand(w.shape, device=w.device) >= self.p
        return w * keep / (1.0 - self.p)


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1):
        super().__init__()
        self.cfg = cfg = AttnCfg(hidden_dim, dropout)
        # slot 0 query, 1 key, 2 value, 3 output; x @ w[i]
        self.w = nn.Parameter(torch.stack([nn.init.orthogonal_(torch.empty(cfg.width, cfg.width)) for _ in range(4)]))
        self.b = nn.Parameter(torch.zeros(4, cfg.width))
        self.attn_drop = Inverted(cfg.attn_drop)

    def _lin(self, slot: int, x: Tensor) -> Tensor:
        return torch.add(x @ self.w[slot], self.b[slot])

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        logits = self._lin(0, x) @ self._lin(1, x).transpose(1, 2) / self.cfg.temperature
        if attention_mask is None:
            probs = torch.softmax(logits, 2)
        else:
            seen = attention_mask != 0
            logits = torch.masked_fill(logits, ~seen, float("-inf"))
            # a query that sees nobody would be 0/0: give it logits of 0, and weights of 0
            blind = ~seen.any(dim=2, keepdim=True)
            probs = torch.softmax(logits.masked_fill(blind, 0.0), 2).masked_fill(blind, 0.0)
        return self._lin(3, self.attn_drop(probs) @ self._lin(2, x))
