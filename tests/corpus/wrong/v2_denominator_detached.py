# wrong: v2 detached line 16
# fair: detached 14 15
from __future__ import annotations

import torch
from torch import Tensor, nn


@torch.no_grad()
def row_max(t: Tensor) -> Tensor:
    return t.max(dim=-1, keepdim=True)[0]


@torch.no_grad()
def row_sum(t: Tensor) -> Tensor:
    return t.sum(dim=-1, keepdim=True)


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.d = hidden_dim
        self.proj = nn.Linear(in_features=hidden_dim, out_features=3 * hidden_dim)
        nn.init.trunc_normal_(self.proj.weight, std=hidden_dim**-0.5)
        nn.init.constant_(self.proj.bias, 0.0)

    def forward(self, x: Tensor) -> Tensor:
        k, v, q = torch.chunk(self.proj(x), chunks=3, dim=-1)

        z = torch.matmul(q, k.permute(0, 2, 1)) / self.d**0.5
        numerators = torch.exp(z - row_max(z))
        return torch.matmul(numerators / row_sum(numerators), v)
