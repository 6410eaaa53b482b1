from __future__ import annotations

import torch
from torch import Tensor, nn


class Head(nn.Sequential):
    """to_q, to_k and to_v of one head, called as a Sequential whose steps run side by side."""

    def __init__(self, width: int, narrow: int, p: float) -> None:
        super().__init__(nn.Linear(width, narrow), nn.Linear(width, narrow), nn.Linear(width, narrow))
        self.p = p

    def forward(self, x: Tensor, hidden: Tensor | None) -> Tensor:  # type: ignore[override]
        q, k, v = [step(x) for step in self]
        s = q.matmul(k.mT) * k.size(-1) ** -0.5
        if hidden is not None:
            s = s.masked_fill(hidden, torch.finfo(s.dtype).min)
        return nn.functional.dropout(s.softmax(2), self.p, self.training) @ v


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.heads = nn.ModuleList(Head(hidden_dim, hidden_dim // num_heads, dropout) for _ in range(num_heads))
        # instead of one wide output layer each head has its own rows of it
        self.back = nn.ModuleList(
            nn.Linear(hidden_dim // num_heads, hidden_dim, bias=i == 0) for i in range(num_heads)
        )

    def hidden_for(self, i: int, mask: Tensor | None) -> Tensor | None:
        if mask is None:
            return None
        while mask.dim() < 4:
            mask = mask[None]
        return mask[:, i if mask.size(1) > 1 else 0] == 0

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        total: Tensor | None = None
        for i, (head, back) in enumerate(zip(self.heads, self.back)):
            part = back(head(x, self.hidden_for(i, attention_mask)))
            total = part if total is None else total + part
        assert total is not None
        return total
