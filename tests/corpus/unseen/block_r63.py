from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class TransformerBlock(nn.Module):
    """Everything as raw parameters; two fused matmuls in, two out."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        d = hidden_dim
        self.shape = (num_heads, d // num_heads)
        self.gains = nn.Parameter(torch.ones(2, d))
        self.attn_in = nn.Parameter(torch.randn(d, 3 * d) * d**-0.5)
        self.attn_out = nn.Parameter(torch.randn(d, d) * d**-0.5)
        self.up = nn.Parameter(torch.randn(d, 4 * d) * d**-0.5)
        self.down = nn.Parameter(torch.randn(4 * d, d) * (4 * d) ** -0.5)

    def _ln(self, x: Tensor, i: int) -> Tensor:
        return F.layer_norm(x, x.shape[-1:], weight=self.gains[i])

    def _attention(self, h: Tensor) -> Tensor:
        q, k, v = (h @ self.attn_in).unflatten(-1, (3, *self.shape)).movedim(-3, 0).transpose(2, 3)
        s = (q @ k.mT).div(self.shape[1] ** 0.5)
        hidden = torch.ones(s.shape[-2:], dtype=torch.bool, device=s.device).triu(1)
        a = s.masked_fill(hidden, torch.finfo(s.dtype).min).softmax(-1)
        return (a @ v).transpose(1, 2).flatten(-2) @ self.attn_out

    def forward(self, x: Tensor) -> Tensor:
        x = x + self._attention(self._ln(x, 0))
        return x + F.gelu(self._ln(x, 1) @ self.up, approximate="none") @ self.down
