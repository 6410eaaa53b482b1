from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(eq=False, repr=False)
class CrossAttention(nn.Module):
    hidden_dim: int
    num_heads: int
    dropout: float = 0.1

    def __post_init__(self) -> None:
        super().__init__()
        if self.hidden_dim % self.num_heads:
            raise ValueError(f"{self.num_heads} heads do not divide {self.hidden_dim}")
        for role in ("from_key", "from_value", "from_query", "to_output"):
            self.add_module(role, nn.Linear(self.hidden_dim, self.hidden_dim, bias=role == "to_output"))
        self.thin = nn.Dropout(self.dropout)

    @property
    def head_dim(self) -> int:
        return self.hidden_dim // self.num_heads

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        # list of heads, each (batch, T, head_dim)
        qs = self.from_query(query).split(self.head_dim, -1)
        ks = self.from_key(key).split(self.head_dim, -1)
        vs = self.from_value(value).split(self.head_dim, -1)
        heads = []
        for q, k, v in zip(qs, ks, vs, strict=True):
            logits = torch.baddbmm(
                q.new_zeros(()), q, k.transpose(1, 2), beta=0, alpha=self.head_dim**-0.5
            )
            if mask is not None:
                logits = logits.masked_fill(mask == 0, torch.finfo(logits.dtype).min)
            heads.append(torch.bmm(self.thin(nn.functional.softmax(logits, dim=2)), v))
        return self.to_output(torch.cat(heads, -1))
