import torch
from torch import nn
from torch import Tensor


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.h = num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wv = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.drop = nn.Dropout(dropout)

    def _split(self, t: Tensor) -> Tensor:
        return t.unflatten(2, (self.h, -1)).transpose(1, 2)

    def _logits(self, q: Tensor, k: Tensor, mask: Tensor | None) -> Tensor:
        logits = torch.einsum("bhqd,bhkd->bhqk", q, k) / q.shape[-1] ** 0.5
        if mask is None:
            return logits
        return torch.where(mask != 0, logits, torch.finfo(logits.dtype).min)

    def forward(self, query, key, value, mask=None):
        q, k, v = self._split(self.wq(query)), self._split(self.wk(key)), self._split(self.wv(value))
        w = self._logits(q, k, mask).softmax(-1)
        return self.wo(torch.einsum("bhqk,bhkd->bqhd", self.drop(w), v).flatten(2))
