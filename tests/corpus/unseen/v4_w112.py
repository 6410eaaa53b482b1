import math
from typing import Optional

import torch
from torch import Tensor, nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.wq: nn.Linear = nn.Linear(hidden_dim, hidden_dim)
        self.wk: nn.Linear = nn.Linear(hidden_dim, hidden_dim)
        self.wv: nn.Linear = nn.Linear(hidden_dim, hidden_dim)
        self.p: nn.Dropout = nn.Dropout(dropout)
        self.inv_root: float = 1 / math.sqrt(hidden_dim)

    @staticmethod
    def _resolve(mask: Optional[Tensor], scores: Tensor) -> Tensor:
        """A bool mask of the scores' shape, whatever the caller gave."""
        if mask is None:
            return torch.ones_like(scores, dtype=torch.bool).tril()
        return mask != 0

    def forward(self, x: Tensor, attention_mask: Optional[Tensor] = None) -> Tensor:
        q, k, v = self.wq(x), self.wk(x), self.wv(x)
        scores = torch.matmul(q, k.transpose(-2, -1)).mul(self.inv_root)
        keep = self._resolve(attention_mask, scores)
        scores = scores.masked_fill(keep.logical_not(), torch.finfo(scores.dtype).min)
        return self.p(scores.softmax(-1)).matmul(v)
