from __future__ import annotations

from typing import Iterator

import torch
from torch import Tensor, nn


class MultiQueryAttention(nn.Module):
    """One layer for each query head, which is projected only when its turn comes."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        head_dim = hidden_dim // num_heads
        self.queries = nn.ModuleList(nn.Linear(hidden_dim, head_dim) for _ in range(num_heads))
        self.outputs = nn.ModuleList(nn.Linear(head_dim, hidden_dim, bias=False) for _ in range(num_heads))
        self.shared_key = nn.Linear(hidden_dim, head_dim)
        self.shared_value = nn.Linear(hidden_dim, head_dim)
        self.scale = head_dim**0.5

    @staticmethod
    def _masks(mask: Tensor | None, heads: int) -> Iterator[Tensor | None]:
        """What is hidden from each head, (batch, length or 1, length)."""
        if mask is None:
            yield from [None] * heads
            return
        hidden = mask.bool().logical_not()
        yield from hidden.expand(-1, heads, -1, -1).unbind(dim=1)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        key, value = self.shared_key(x), self.shared_value(x)
        output = torch.zeros_like(x)
        masks = self._masks(attention_mask, len(self.queries))
        for to_query, to_output, hidden in zip(self.queries, self.outputs, masks):
            scores = torch.einsum("bid,bjd->bij", to_query(x), key) / self.scale
            if hidden is not None:
                scores = torch.where(hidden, torch.finfo(scores.dtype).min, scores)
            scores = scores - scores.amax(dim=-1, keepdim=True)
            unnormed = scores.exp()
            head = (unnormed @ value) / unnormed.sum(dim=-1, keepdim=True)
            output = output + to_output(head)
        return output
