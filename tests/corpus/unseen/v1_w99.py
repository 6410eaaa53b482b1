from __future__ import annotations

import torch
from torch import Tensor, nn


def dense(d: int) -> nn.Parameter:
    return nn.Parameter(torch.randn(d, d) * d**-0.5)


class SelfAttentionV1(nn.Module):
    """jnp-ish: three matrices, three einsums, one softmax."""

    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.wq, self.wk, self.wv = dense(hidden_dim), dense(hidden_dim), dense(hidden_dim)
        self.scale = hidden_dim**-0.5

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (torch.einsum("nld,de->nle", x, w) for w in (self.wq, self.wk, self.wv))
        logits = torch.einsum("nhld,nhmd->nhlm", q * self.scale, k)
        probs = logits.softmax(-1)
        return torch.einsum("nlm,nmd->nld", probs, v)
