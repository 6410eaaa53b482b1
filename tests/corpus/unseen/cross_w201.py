# attn-kata: cross
from __future__ import annotations

import torch
from torch import Tensor, nn


class MaskBias:
    """mask -> additive bias on the scores, (batch, 1, Tq, Tk)"""

    def __init__(self, dtype: torch.dtype) -> None:
        self.dtype = dtype
        self.low = torch.finfo(dtype).min

    def _from_flags(self, flags: Tensor) -> Tensor:
        bias = torch.zeros(flags.shape, dtype=self.dtype, device=flags.device)
        return bias.masked_fill(flags.logical_not(), self.low)

    def build(self, mask: Tensor) -> Tensor:
        if mask.is_floating_point():
            bias = mask.to(self.dtype)
        else:
            bias = self._from_flags(mask)  # bool 和各种整型
        return bias.unsqueeze(1)


class CrossAttention(nn.Module):
    """Multi-head attention of one sequence over another.

    query 来自 decoder,key / value 来自 encoder。
    """

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.n_head = num_heads
        self.dk = hidden_dim // num_heads
        self.proj = nn.ModuleDict(
            {role: nn.Linear(hidden_dim, hidden_dim, bias=False) for role in ("q", "k", "v", "o")}
        )
        self.drop = nn.Dropout(dropout)

    def _heads(self, role: str, source: Tensor) -> Tensor:
        return self.proj[role](source).unflatten(-1, (self.n_head, self.dk))

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        q = self._heads("q", query) * self.dk**-0.5
        k = self._heads("k", key)
        v = self._heads("v", value)
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k)
        if mask is not None:
            scores = scores + MaskBias(scores.dtype).build(mask)
        weights = self.drop(torch.softmax(scores, dim=-1))
        merged = torch.einsum("bhqk,bkhd->bqhd", weights, v).flatten(2)
        return self.proj["o"](merged)
