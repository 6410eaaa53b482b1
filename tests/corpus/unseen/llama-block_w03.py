from __future__ import annotations

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclass(frozen=True)
class BlockConfig:
    hidden_dim: int
    num_heads: int
    num_kv_heads: int
    mlp_dim: int

    @property
    def head_dim(self) -> int:
        return self.hidden_dim // self.num_heads

    @property
    def group(self) -> int:
        return self.num_heads // self.num_kv_heads


class _RotaryMixin:
    @staticmethod
    def _rotate(t: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        pairs = t.unflatten(-1, (2, -1))                    # (..., 2, d/2): the halves
        first, second = pairs.unbind(-2)
        return torch.stack((first * cos - second * sin, second * cos + first * sin), -2).flatten(-2)


class LlamaBlock(_RotaryMixin, nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int) -> None:
        super().__init__()
        cfg = self.cfg = BlockConfig(hidden_dim, num_heads, num_kv_heads, mlp_dim)
        kv = cfg.num_kv_heads * cfg.head_dim
        self.norms = nn.ModuleList(nn.RMSNorm(hidden_dim) for _ in range(2))
        self.proj = nn.ModuleDict({
            "q": nn.Linear(hidden_dim, hidden_dim, bias=False),
            "k": nn.Linear(hidden_dim, kv, bias=False),
            "v": nn.Linear(hidden_dim, kv, bias=False),
            "o": nn.Linear(hidden_dim, hidden_dim, bias=False),
            "gate": nn.Linear(hidden_dim, mlp_dim, bias=False),
            "up": nn.Linear(hidden_dim, mlp_dim, bias=False),
            "down": nn.Linear(mlp_dim, hidden_dim, bias=False),
        })

    def _heads(self, name: str, u: Tensor) -> Tensor:
        return self.proj[name](u).unflatten(-1, (-1, self.cfg.head_dim)).transpose(1, 2)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        u = self.norms[0](x)
        q = self._rotate(self._heads("q", u), cos, sin)
        k = self._rotate(self._heads("k", u), cos, sin)
        v = self._heads("v", u)
        T = x.shape[1]
        bias = torch.zeros(T, T, dtype=x.dtype, device=x.device)
        bias = bias.masked_fill(~torch.ones_like(bias, dtype=torch.bool).tril(), -math.inf)
        heads = []
        for i in range(self.cfg.num_heads):
            j = i // self.cfg.group
            s = q[:, i] @ k[:, j].transpose(1, 2) / math.sqrt(self.cfg.head_dim) + bias
            heads.append(s.softmax(dim=2) @ v[:, j])
        h = x + self.proj["o"](torch.cat(heads, dim=-1))
        u = self.norms[1](h)
        return h + self.proj["down"](F.silu(self.proj["gate"](u)) * self.proj["up"](u))
