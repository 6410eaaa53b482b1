from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclass
class Layout:
    hidden: int
    heads: int
    kv: int

    def __post_init__(self) -> None:
        if self.hidden % self.heads or self.heads % self.kv:
            raise ValueError(f"{self.hidden=} {self.heads=} {self.kv=} do not divide")

    @property
    def d(self) -> int:
        return self.hidden // self.heads

    @property
    def per_group(self) -> int:
        return self.heads // self.kv


class GroupedQueryAttention(nn.Module):
    """Megatron layout: for each group, its queries, then its key, then its value."""

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        self.layout = lay = Layout(hidden_dim, num_heads, num_kv_heads)
        self.linear_qkv = nn.Linear(hidden_dim, lay.kv * (lay.per_group + 2) * lay.d)
        self.out_weight = nn.Parameter(torch.empty(hidden_dim, hidden_dim))
        self.out_bias = nn.Parameter(torch.zeros(hidden_dim))
        nn.init.kaiming_uniform_(self.out_weight, a=5**0.5)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        lay = self.layout
        b, t, _ = x.shape
        mixed = self.linear_qkv(x).view(b, t, lay.kv, lay.per_group + 2, lay.d).permute(0, 2, 3, 1, 4)
        q, k, v = mixed.split([lay.per_group, 1, 1], dim=2)  # (b, kv, group | 1 | 1, t, d)
        scores = (q @ k.transpose(-2, -1)).flatten(1, 2) / lay.d**0.5
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask.to(torch.bool).logical_not(), torch.finfo(scores.dtype).min)
        weights = torch.softmax(scores, dim=-1).unflatten(1, (lay.kv, lay.per_group))
        merged = (weights @ v).flatten(1, 2).transpose(1, 2).flatten(2)
        return F.linear(merged, self.out_weight, self.out_bias)
