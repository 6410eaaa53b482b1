from __future__ import annotations

from functools import partial

import torch
from torch import Tensor, nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        layer = partial(nn.Linear, hidden_dim, hidden_dim, bias=False)
        self.wq, self.wk, self.wv, self.wo = layer(), layer(), layer(), layer()
        self.attn_drop = nn.Dropout(dropout)
        self.inv_sqrt_d = hidden_dim ** -0.5

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = self.wq(x), self.wk(x), self.wv(x)
        s = torch.einsum("bid,bjd->bij", q, k) * self.inv_sqrt_d
        if attention_mask is not None:
            s = torch.where(attention_mask != 0, s, s.new_tensor(float("-inf")))
        p = self.drop(torch.softmax(s, dim=-1))
        o = torch.einsum("bij,bjd->bid", p, v)
        return self.wo(o)
