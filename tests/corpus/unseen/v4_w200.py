from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class SelfAttentionV4(nn.Module):
    """y_ic = A_ij v_jc, A_ij = f_ij / Z_i, f_ij = exp(s_ij - max_j s_ij)."""

    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.beta = 1.0 / math.sqrt(hidden_dim)
        self.Wq = nn.Linear(hidden_dim, hidden_dim)
        self.Wk = nn.Linear(hidden_dim, hidden_dim)
        self.Wv = nn.Linear(hidden_dim, hidden_dim)
        self.Wo = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q = self.Wq(x)
        k = self.Wk(x)
        v = self.Wv(x)

        s = self.beta * torch.einsum("bic,bjc->bij", q, k)
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, -math.inf)

        # Boltzmann factors; the shift drops out of the ratio
        shift = s.amax(dim=-1, keepdim=True)
        f = torch.exp(s - shift)
        f = self.drop(f)
        Z = f.sum(dim=-1, keepdim=True).clamp_min(torch.finfo(f.dtype).tiny)

        y = torch.einsum("bij,bjc->bic", f / Z, v)
        return self.Wo(y)
