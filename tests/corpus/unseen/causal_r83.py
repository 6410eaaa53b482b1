from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn


def lower_triangle(size: int, device) -> Tensor:
    i = torch.arange(size, device=device)
    return i[:, None] >= i


def everything(size: int, device) -> Tensor:
    return torch.ones(size, size, dtype=torch.bool, device=device)


def attention_class(may_attend: Callable[[int, torch.device], Tensor]) -> type[nn.Module]:
    class Attention(nn.Module):
        def __init__(self, dim: int, heads: int) -> None:
            super().__init__()
            self.heads = heads
            self.wq = nn.Parameter(torch.randn(heads, dim, dim // heads) * dim**-0.5)
            self.wk = nn.Parameter(torch.randn(heads, dim, dim // heads) * dim**-0.5)
            self.wv = nn.Parameter(torch.randn(heads, dim, dim // heads) * dim**-0.5)
            self.wo = nn.Parameter(torch.randn(heads, dim // heads, dim) * dim**-0.5)

        def forward(self, x: Tensor) -> Tensor:
            q = torch.einsum("btm,hmd->bhtd", x, self.wq)
            k = torch.einsum("bsm,hmd->bhsd", x, self.wk)
            v = torch.einsum("bsm,hmd->bhsd", x, self.wv)
            logits = torch.einsum("bhtd,bhsd->bhts", q, k) * self.wq.shape[-1] ** -0.5
            seen = may_attend(x.shape[1], x.device)
            probs = torch.where(seen, logits, -torch.inf).softmax(-1)
            return torch.einsum("bhts,bhsd,hdm->btm", probs, v, self.wo)

    return Attention


BidirectionalSelfAttention = attention_class(everything)


class CausalSelfAttention(attention_class(lower_triangle)):
    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__(hidden_dim, num_heads)
        self.block_size = block_size

    def forward(self, x: Tensor) -> Tensor:
        assert x.shape[1] <= self.block_size, "sequence longer than block_size"
        return super().forward(x)
