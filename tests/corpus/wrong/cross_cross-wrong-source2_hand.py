# wrong: cross cross-wrong-source line 27
# fair: cross-wrong-source 27 28
import torch
import torch.nn as nn
import torch.nn.functional as F
from typing import Optional
from torch import Tensor


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.hidden_dim = hidden_dim
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.dropout = dropout
        self.q_lin = nn.Linear(hidden_dim, hidden_dim)
        self.k_lin = nn.Linear(hidden_dim, hidden_dim)
        self.v_lin = nn.Linear(hidden_dim, hidden_dim)
        self.o_lin = nn.Linear(hidden_dim, hidden_dim)

    def _shape(self, t: Tensor) -> Tensor:
        return t.unflatten(2, (self.num_heads, self.head_dim)).movedim(2, 1)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Optional[Tensor] = None) -> Tensor:
        q = self._shape(self.q_lin(query))
        k = self._shape(self.k_lin(query))
        v = self._shape(self.v_lin(query))
        w = q @ k.mT / self.head_dim ** 0.5
        if mask is not None:
            w = w.masked_fill(mask[:, None] == 0, -1e9)
        w = F.dropout(w.softmax(-1), self.dropout, self.training)
        y = (w @ v).movedim(1, 2).flatten(2)
        return self.o_lin(y)
