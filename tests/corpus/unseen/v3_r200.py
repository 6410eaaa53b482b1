from __future__ import annotations

import torch
from torch import Tensor, nn


def _bernoulli_dropout(w: Tensor, rate: float) -> Tensor:
    keep = 1.0 - rate
    if keep <= 0.0:
        return w * 0.0
    return w * torch.empty_like(w).bernoulli_(keep).div_(keep)


class SelfAttentionV3(nn.Module):
    """Single head. (A V) Wo == A (V Wo), so Wo is applied on the value side, before mixing.

    The scale goes into Q, the mask comes in as log(mask): log 1 = 0, log 0 = -inf.
    """

    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.rate = dropout
        self.w_qkv = nn.Parameter(torch.randn(3, hidden_dim, hidden_dim) * hidden_dim**-0.5)
        self.w_o = nn.Parameter(torch.randn(hidden_dim, hidden_dim) * hidden_dim**-0.5)
        self.b_o = nn.Parameter(torch.zeros(hidden_dim))

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = torch.einsum("btm,nmd->nbtd", x, self.w_qkv)
        vo = v @ self.w_o
        a = torch.baddbmm(
            x.new_zeros(()) if attention_mask is None else attention_mask.to(x.dtype).log(),
            q / q.size(-1) ** 0.5,
            k.mT,
        ).softmax(-1)
        if self.training:
            a = _bernoulli_dropout(a, self.rate)
        return a @ vo + self.b_o
