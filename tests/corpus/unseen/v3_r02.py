# attn-kata: v3
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.w_in = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.w_out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.width = hidden_dim
        self.p_drop = dropout

    def _drop_(self, p: Tensor) -> Tensor:
        if not self.training or self.p_drop == 0.0:
            return p
        if self.p_drop >= 1.0:
            return p * 0.0
        keep = 1.0 - self.p_drop
        return p * torch.empty_like(p).bernoulli_(keep).div_(keep)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = self.w_in(x).split(self.width, dim=-1)
        s = torch.bmm(q.mul(self.width ** -0.5), k.transpose(1, 2))
        if attention_mask is not None:
            floor = s.new_tensor(torch.finfo(s.dtype).min)
            s = torch.where(attention_mask.to(torch.bool), s, floor)
        p = self._drop_(F.softmax(s, dim=-1))
        return self.w_out(torch.bmm(p, v))
