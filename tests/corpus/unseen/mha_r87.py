from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar, overload

import torch
from torch import nn

if TYPE_CHECKING:
    from torch import Tensor

try:
    from einops import rearrange
except ImportError:

    def rearrange(t, pattern, h=None):
        if pattern == "b n (h d) -> b h n d":
            b, n, c = t.shape
            return t.reshape(b, n, h, c // h).permute(0, 2, 1, 3)
        assert pattern == "b h n d -> b n (h d)", pattern
        b, h, n, d = t.shape
        return t.permute(0, 2, 1, 3).reshape(b, n, h * d)


P = TypeVar("P", bound=nn.Module)


class Residualless(nn.Module, Generic[P]):
    """Holds an output layer of whatever kind."""

    def __init__(self, layer: P) -> None:
        super().__init__()
        self.layer: P = layer

    def forward(self, x):
        return self.layer(x)


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.heads = num_heads
        self.scale = (hidden_dim // num_heads) ** -0.5
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_kv = nn.Linear(hidden_dim, hidden_dim * 2, bias=False)
        self.to_out = Residualless[nn.Linear](nn.Linear(hidden_dim, hidden_dim))
        self.dropout = nn.Dropout(dropout)

    @overload
    def forward(self, x: Tensor) -> Tensor: ...
    @overload
    def forward(self, x: Tensor, attention_mask: Tensor) -> Tensor: ...
    def forward(self, x, attention_mask=None):
        q, k, v = (self.to_q(x), *self.to_kv(x).chunk(2, dim=-1))
        q, k, v = (rearrange(t, "b n (h d) -> b h n d", h=self.heads) for t in (q, k, v))
        sim = torch.einsum("bhid,bhjd->bhij", q * self.scale, k)
        if attention_mask is not None:
            sim = sim.masked_fill(attention_mask.logical_not(), torch.finfo(sim.dtype).min)
        attn = self.dropout(sim.softmax(dim=-1))
        out = torch.einsum("bhij,bhjd->bhid", attn, v)
        return self.to_out(rearrange(out, "b h n d -> b n (h d)"))
