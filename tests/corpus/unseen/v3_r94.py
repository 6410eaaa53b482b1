from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.p = dropout
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(hidden_dim, hidden_dim) for _ in range(4))

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        scale = x.shape[-1] ** -0.25
        q, k, v = self.wq(x) * scale, self.wk(x) * scale, self.wv(x)
        s = torch.einsum("bid,bjd->bij", q, k)
        if attention_mask is not None:
            s = torch.where(attention_mask.bool(), s, torch.finfo(s.dtype).min)
        # log-space: p = exp(s - logsumexp(s))
        p = (s - s.logsumexp(dim=-1, keepdim=True)).exp()
        return self.wo(F.dropout(p, self.p, self.training) @ v)
