from __future__ import annotations
import torch
from torch import Tensor, nn


class Projection:
    """Descriptor: `module.wq` looks up the slice of one big parameter, (4, hidden + 1, hidden)."""

    order: list[str] = []

    def __set_name__(self, owner, name):
        self.index = len(self.order)
        self.order.append(name)

    def __get__(self, module, owner=None):
        if module is None:
            return self
        w = module.weights[self.index]
        return lambda x: torch.tensordot(x, w[:-1], dims=1) + w[-1]


class CrossAttention(nn.Module):
    wq, wk, wv, wo = Projection(), Projection(), Projection(), Projection()

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.h, self.p = num_heads, float(dropout)
        bound = hidden_dim**-0.5
        self.weights = nn.Parameter(torch.empty(4, hidden_dim + 1, hidden_dim).uniform_(-bound, bound))

    def extra_repr(self) -> str:
        return f"heads={self.h}, dropout={self.p}"

    def _drop(self, w: Tensor) -> Tensor:
        if not self.training or self.p == 0:
            return w
        if self.p >= 1:
            return w * 0
        return w * torch.rand_like(w).ge(self.p) / (1 - self.p)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        (n, tq, c), tk = query.shape, key.shape[1]
        q = self.wq(query).view(n, tq, self.h, -1)
        k = self.wk(key).view(n, tk, self.h, -1)
        v = self.wv(value).view(n, tk, self.h, -1)
        s = torch.einsum("nihd,njhd->nijh", q, k).div(q.size(-1) ** 0.5)      # heads stay last
        if mask is not None:
            s = s.masked_fill(mask.to(torch.bool).logical_not().unsqueeze(-1), -torch.inf)
        w = self._drop(torch.softmax(s, dim=2))
        return self.wo(torch.einsum("nijh,njhd->nihd", w, v).reshape(n, tq, c))
