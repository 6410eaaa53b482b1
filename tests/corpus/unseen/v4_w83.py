import math
from typing import Optional

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class SelfAttentionV4(nn.Module):
    """Single head. In eval mode the three projections run as one matmul."""

    def __init__(self, hidden_dim: int, dropout: float = 0.1):
        super().__init__()
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)
        self._packed: Optional[tuple] = None

    def _pack(self):
        layers = (self.query, self.key, self.value)
        return (torch.cat([l.weight for l in layers]), torch.cat([l.bias for l in layers]))

    def _project(self, x: Tensor):
        if self.training:
            return self.query(x), self.key(x), self.value(x)
        if self._packed is None:
            self._packed = self._pack()
        return F.linear(x, *self._packed).chunk(3, dim=-1)

    def forward(self, x: Tensor, attention_mask: Optional[Tensor] = None) -> Tensor:
        q, k, v = self._project(x)
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.size(-1))
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, torch.finfo(scores.dtype).min)
        return torch.matmul(self.dropout(F.softmax(scores, dim=-1)), v)
