# attn-kata: block
from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class TransformerBlock(nn.Module):
    """Pre-norm block over a residue axis: (batch, residues, channels)."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.c = hidden_dim
        self.n_head = num_heads
        self.norm_attn = nn.LayerNorm(hidden_dim)
        self.linear_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.linear_k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.linear_v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.linear_o = nn.Linear(hidden_dim, hidden_dim)
        self.norm_transition = nn.LayerNorm(hidden_dim)
        self.transition = nn.Sequential(
            nn.Linear(hidden_dim, 4 * hidden_dim),
            nn.GELU(),
            nn.Linear(4 * hidden_dim, hidden_dim),
        )

    def _heads(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.n_head, -1)).movedim(-2, 1)

    def _attention(self, a: Tensor) -> Tensor:
        q = self._heads(self.linear_q(a)) / math.sqrt(self.c // self.n_head)
        k = self._heads(self.linear_k(a))
        v = self._heads(self.linear_v(a))
        n_res = a.shape[1]
        later = torch.ones(n_res, n_res, device=a.device).triu(diagonal=1) > 0
        logits = torch.matmul(q, k.transpose(-1, -2)).masked_fill(later, -torch.inf)
        mixed = torch.matmul(F.softmax(logits, dim=-1), v)
        return self.linear_o(mixed.movedim(1, -2).flatten(-2))

    def forward(self, x: Tensor) -> Tensor:
        x = x + self._attention(self.norm_attn(x))
        x = self.norm_transition(x)
        x = x + self.transition(x)
        return x
