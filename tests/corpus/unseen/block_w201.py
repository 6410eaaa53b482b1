# attn-kata: block
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class TransformerBlock(nn.Module):
    """Pre-norm GPT block.

    Attention goes over the queries strip by strip, so that the score matrix in memory is never
    larger than (STRIP, length).  省显存,长序列也能跑。
    """

    STRIP = 128

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.n_head = num_heads
        self.dk = hidden_dim // num_heads

        self.ln_attn = nn.LayerNorm(hidden_dim)
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

        self.ln_mlp = nn.LayerNorm(hidden_dim)
        self.fc_up = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.fc_down = nn.Linear(4 * hidden_dim, hidden_dim)

    def _split(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.n_head, self.dk)).transpose(1, 2)

    def _strip(self, q: Tensor, k: Tensor, v: Tensor, lo: int, hi: int) -> Tensor:
        """queries [lo, hi) against all keys"""
        rows, cols = hi - lo, k.size(2)
        scores = q[:, :, lo:hi] @ k.transpose(-1, -2) * self.dk**-0.5
        allowed = torch.ones(rows, cols, dtype=torch.bool, device=q.device).tril_()
        scores = scores.masked_fill(allowed.logical_not(), float("-inf"))
        return F.softmax(scores, dim=-1) @ v

    def attend(self, h: Tensor) -> Tensor:
        q = self._split(self.q_proj(h))
        k = self._split(self.k_proj(h))
        v = self._split(self.v_proj(h))
        tlen = h.size(1)
        strips: list[Tensor] = []
        lo = 0
        while lo < tlen:
            hi = min(lo + self.STRIP, tlen)
            strips.append(self._strip(q, k, v, lo, hi))
            lo = hi
        ctx = torch.cat(strips, dim=2)
        return self.o_proj(ctx.transpose(1, 2).flatten(2))

    def mlp(self, h: Tensor) -> Tensor:
        return self.fc_down(F.gelu(self.fc_up(h)))

    def forward(self, x: Tensor) -> Tensor:
        attended = x + self.attend(self.ln_attn(x))
        return attended + self.mlp(self.ln_mlp(attended))
