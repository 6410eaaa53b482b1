# right: v4
from __future__ import annotations

import torch
from torch import Tensor, nn


class SelfAttentionV4(nn.Module):
    """Attention as flash kernels order it: the division comes last.

        num_i = Σ_j drop(e_ij) · v_j         den_i = Σ_j e_ij         out_i = num_i / den_i

    The denominator has every e_ij in it, dropped or not, so this is dropout on the softmax's
    result: drop(e / den) = drop(e) / den.
    """

    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.proj = nn.ModuleDict({n: nn.Linear(hidden_dim, hidden_dim, bias=n == "o") for n in "qkvo"})
        self.drop = nn.Dropout(dropout)
        self.tau = hidden_dim**0.5

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q: Tensor = self.proj["q"](x)  # [B, L, D]
        k: Tensor = self.proj["k"](x)  # [B, L, D]
        v: Tensor = self.proj["v"](x)  # [B, L, D]

        s = q @ k.mT / self.tau  # [B, L, L]
        if attention_mask is not None:
            s = s.where(attention_mask.to(torch.bool), torch.finfo(s.dtype).min)
        e = torch.exp(s - s.detach().amax(-1, keepdim=True))  # [B, L, L]

        num = self.drop(e) @ v  # [B, L, D]
        den = e.sum(-1, keepdim=True)  # [B, L, 1]
        return self.proj["o"](num / den)
