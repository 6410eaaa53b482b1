from __future__ import annotations

from typing import Final

import torch
from torch import Tensor, nn


class CausalSelfAttention(nn.Module):
    """Multi-head self-attention over the past.

    Shapes:  b batch, n length, h heads, d head_dim.
    """

    NEG: Final[float] = float("-inf")

    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        if hidden_dim % num_heads != 0:
            raise ValueError("hidden_dim % num_heads != 0")
        self.num_heads = num_heads
        self.block_size = block_size
        self.q_proj, self.k_proj, self.v_proj, self.o_proj = (
            nn.Linear(hidden_dim, hidden_dim, bias=False) for _ in range(4)
        )

    def split(self, t: Tensor) -> Tensor:
        b, n, c = t.shape
        return t.view(b, n, self.num_heads, c // self.num_heads).permute(0, 2, 1, 3)

    def forward(self, x: Tensor) -> Tensor:
        # no graph to keep once training is over
        with torch.set_grad_enabled(self.training):
            q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
            context = self.attend(q, k, v)
            b, h, n, d = context.shape
            return self.o_proj(context.permute(0, 2, 1, 3).reshape(b, n, h * d))

    def attend(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        n, d = q.shape[-2:]
        ahead = torch.ones(n, n, dtype=torch.bool, device=q.device).triu(diagonal=1)
        scores = torch.baddbmm(
            torch.zeros((), dtype=q.dtype, device=q.device),
            q.flatten(0, 1),
            k.flatten(0, 1).transpose(1, 2),
            beta=0,
            alpha=d**-0.5,
        ).view(*q.shape[:2], n, n)
        return scores.masked_fill(ahead, self.NEG).softmax(-1).matmul(v)
