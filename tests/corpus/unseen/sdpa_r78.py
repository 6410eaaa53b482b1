from __future__ import annotations
from typing import Optional
import torch
from torch import Tensor


class _Visibility:
    """collects what may be seen; None = everything"""

    def __init__(self) -> None:
        self.allowed: Optional[Tensor] = None

    def also(self, other: Tensor) -> "_Visibility":
        other = other != 0
        self.allowed = other if self.allowed is None else torch.logical_and(self.allowed, other)
        return self

    def additive(self, like: Tensor) -> Tensor | float:
        if self.allowed is None:
            return 0.0
        zero = torch.zeros(self.allowed.shape, dtype=like.dtype, device=like.device)
        return zero.masked_fill(torch.logical_not(self.allowed), torch.finfo(like.dtype).min)


def attention(query, key, value, mask=None, causal=False):
    vis = _Visibility()
    if mask is not None:
        vis.also(mask)
    if causal:
        lq, lk = query.shape[-2], key.shape[-2]
        age = torch.arange(lk - lq, lk, device=query.device)[:, None] - torch.arange(lk, device=query.device)
        vis.also(age >= 0)
    d4 = query.shape[-1] ** -0.25
    logits = torch.einsum("...qd,...kd->...qk", query * d4, key * d4)
    logits = torch.maximum(logits + vis.additive(logits), logits.new_tensor(torch.finfo(logits.dtype).min))
    logp = torch.log_softmax(logits, dim=-1)
    return torch.einsum("...qk,...kv->...qv", logp.exp(), value)


if __name__ == "__main__":
    x = torch.randn(1, 2, 3, 4)
    print(attention(x, x, x, causal=True)[0, 0, 0] - x[0, 0, 0])
