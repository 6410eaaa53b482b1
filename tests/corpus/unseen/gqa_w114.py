from __future__ import annotations

import torch
from torch import Tensor, nn


class GroupedQueryAttention(nn.Module):
    """The queries of a group are folded into one long run of queries, so that keys and values
    are never repeated: one batched product for each kv head."""

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        self.kv = num_kv_heads
        self.group = num_heads // num_kv_heads
        self.d = hidden_dim // num_heads
        self.to_q = nn.Linear(hidden_dim, num_heads * self.d, bias=False)
        self.to_k = nn.Linear(hidden_dim, num_kv_heads * self.d, bias=False)
        self.to_v = nn.Linear(hidden_dim, num_kv_heads * self.d, bias=False)
        self.to_out = nn.Linear(num_heads * self.d, hidden_dim, bias=False)

    def _fold_queries(self, q: Tensor) -> Tensor:
        q = q.unflatten(-1, (self.kv, self.group, self.d))      # b t kv g d
        return q.movedim(1, 2).flatten(2, 3)                    # b kv (t g) d

    def _fold_mask(self, mask: Tensor, length: int) -> Tensor:
        mask = mask.expand(-1, self.kv * self.group, length, -1)
        mask = mask.unflatten(1, (self.kv, self.group))         # b kv g t s
        return mask.flatten(2, 3)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        length = x.shape[1]
        q = self._fold_queries(self.to_q(x))
        k, v = (f(x).unflatten(-1, (self.kv, self.d)).transpose(1, 2) for f in (self.to_k, self.to_v))
        scores = q @ k.mT * self.d ** -0.5                      # b kv (t g) s
        if attention_mask is not None:
            hidden = self._fold_mask(attention_mask, length) == 0
            scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
        y = scores.softmax(dim=-1) @ v
        y = y.unflatten(2, (length, self.group)).movedim(1, 2)  # b t kv g d
        return self.to_out(y.flatten(2))
