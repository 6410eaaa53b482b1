from __future__ import annotations

import torch
from torch import Tensor, nn


class SelfAttentionV1(nn.Module):
    """One head, one stacked weight, one contraction for all three projections."""

    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.hidden_dim = hidden_dim
        # slot 0 -> query, 1 -> key, 2 -> value; stored input-major so no .T at use
        self.w_in = nn.Parameter(torch.empty(3, hidden_dim, hidden_dim))
        nn.init.normal_(self.w_in, std=hidden_dim**-0.5)

    def extra_repr(self) -> str:
        return f"{self.hidden_dim}"

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = torch.einsum("bld,sde->sble", x, self.w_in).unbind(0)
        # alpha does the scaling inside the gemm, beta=0 drops the dummy
        att = torch.baddbmm(
            query.new_zeros(1, 1, 1), query, key.mT, beta=0, alpha=self.hidden_dim**-0.5
        )
        return torch.bmm(att.softmax(-1), value)
