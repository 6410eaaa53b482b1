# attn-kata: v2
# flax.linen.DenseGeneral(features=(3, D)) spelled in torch: ONE contraction of x with a
# (D, 3, D) kernel; the three slots are key, value, query.
from __future__ import annotations

from enum import IntEnum

import torch
from torch import Tensor, nn


class Slot(IntEnum):
    KEY = 0
    VALUE = 1
    QUERY = 2


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.qkv_kernel = nn.Parameter(torch.empty(hidden_dim, len(Slot), hidden_dim))
        self.qkv_bias = nn.Parameter(torch.zeros(len(Slot), hidden_dim))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        fan_in = self.qkv_kernel.shape[0]
        nn.init.trunc_normal_(self.qkv_kernel, std=fan_in**-0.5)

    @property
    def depth(self) -> int:
        return self.qkv_kernel.shape[-1]

    def forward(self, x: Tensor) -> Tensor:
        qkv = torch.tensordot(x, self.qkv_kernel, dims=1) + self.qkv_bias   # [..., T, 3, D]
        q = qkv.select(-2, Slot.QUERY)
        k = qkv.select(-2, Slot.KEY)
        v = qkv.select(-2, Slot.VALUE)
        logits = torch.einsum("...qd,...kd->...qk", q, k) * torch.rsqrt(
            torch.tensor(self.depth, dtype=torch.float64)
        ).item()
        # softmax as an exp of log-probabilities
        probs = torch.log_softmax(logits, dim=-1).exp()
        return torch.einsum("...qk,...kd->...qd", probs, v)
