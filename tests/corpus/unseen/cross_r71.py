from enum import IntEnum

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.func import vmap


class Slot(IntEnum):
    OUT = 0
    VALUE = 1
    QUERY = 2
    KEY = 3


class CrossAttention(nn.Module):
    """All four matrices in one parameter, (slot, out, in); heads by vmap."""

    def __init__(self, hidden_dim: int, num_heads: int = 8, dropout: float = 0.1, *, gain: float = 1.0) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.dropout = dropout
        self.weights = nn.Parameter(torch.empty(len(Slot), hidden_dim, hidden_dim))
        self.biases = nn.Parameter(torch.zeros(len(Slot), hidden_dim))
        for w in self.weights:
            nn.init.xavier_normal_(w, gain=gain)

    def apply_slot(self, slot: Slot, t: Tensor) -> Tensor:
        return F.linear(t, self.weights[slot], self.biases[slot])

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, *, mask: Tensor | None = None
    ) -> Tensor:
        def split(slot: Slot, t: Tensor) -> Tensor:
            return torch.stack(self.apply_slot(slot, t).tensor_split(self.num_heads, dim=-1))

        blocked = None if mask is None else mask.logical_not()

        def logits(q: Tensor, k: Tensor) -> Tensor:
            s = torch.matmul(q, k.transpose(-2, -1)) / q.shape[-1] ** 0.5
            return s if blocked is None else s.masked_fill(blocked, torch.finfo(s.dtype).min)

        s = vmap(logits)(split(Slot.QUERY, query), split(Slot.KEY, key))
        p = F.dropout(s.softmax(-1), self.dropout, self.training)
        o = vmap(torch.matmul)(p, split(Slot.VALUE, value))
        return self.apply_slot(Slot.OUT, torch.cat(list(o), dim=-1))
