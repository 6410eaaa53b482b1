"""v4 - one head of self-attention, written test first."""
from __future__ import annotations

from typing import Final, Optional

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class SelfAttentionV4(nn.Module):
    Q: Final[int] = 0
    K: Final[int] = 1
    V: Final[int] = 2

    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        assert isinstance(hidden_dim, int) and hidden_dim > 0, hidden_dim
        assert 0.0 <= dropout <= 1.0, dropout
        self.hidden_dim: int = hidden_dim
        self.drop: float = dropout
        # [which, in, out]: one slab per role
        self.w_in: nn.Parameter = nn.Parameter(torch.empty(3, hidden_dim, hidden_dim))
        self.b_in: nn.Parameter = nn.Parameter(torch.zeros(3, hidden_dim))
        for slab in self.w_in:
            nn.init.xavier_uniform_(slab)

    @property
    def temperature(self) -> float:
        return self.hidden_dim**0.5

    def forward(self, x: Tensor, attention_mask: Optional[Tensor] = None) -> Tensor:
        assert x.ndim == 3 and x.shape[-1] == self.hidden_dim, x.shape
        batch, length, _ = x.shape

        roles: Tensor = torch.einsum("btc,nco->nbto", x, self.w_in) + self.b_in[:, None, None, :]
        assert roles.shape == (3, batch, length, self.hidden_dim)

        scores: Tensor = torch.einsum("bic,bjc->bij", roles[self.Q], roles[self.K])
        scores = scores / self.temperature
        assert scores.shape == (batch, length, length)

        if attention_mask is not None:
            assert attention_mask.shape == scores.shape, attention_mask.shape
            allowed: Tensor = attention_mask.to(device=scores.device) != 0
            scores = torch.where(allowed, scores, torch.finfo(scores.dtype).min)

        weights: Tensor = torch.softmax(scores, dim=2)
        weights = F.dropout(weights, p=self.drop, training=self.training)
        out: Tensor = torch.einsum("bij,bjc->bic", weights, roles[self.V])
        assert out.shape == x.shape
        return out


def _against_torch() -> None:
    layer = SelfAttentionV4(8).double().eval()
    x = torch.randn(2, 5, 8, dtype=torch.float64)
    for mask in (None, torch.ones(2, 5, 5).tril().bool()):
        q, k, v = torch.einsum("btc,nco->nbto", x, layer.w_in) + layer.b_in[:, None, None]
        want = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        torch.testing.assert_close(layer(x, mask), want)


if __name__ == "__main__":
    _against_torch()
    print("ok")
