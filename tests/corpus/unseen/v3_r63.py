from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        # one (4d, d) slab: rows 0..3d are q|k|v, the last d rows are the output map
        self.slab = nn.Parameter(torch.empty(4 * hidden_dim, hidden_dim))
        nn.init.trunc_normal_(self.slab, std=0.02)
        self.d = hidden_dim
        self.p = float(dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        w_in, w_out = self.slab.tensor_split([3 * self.d])
        q, k, v = F.linear(x, w_in).chunk(3, dim=-1)
        logits = (q * self.d**-0.5) @ k.mT
        if attention_mask is not None:
            floor = torch.finfo(logits.dtype).min
            logits = torch.where(attention_mask.bool(), logits, floor)
        att = F.dropout(logits.softmax(-1), self.p, self.training)
        return F.linear(att @ v, w_out)
