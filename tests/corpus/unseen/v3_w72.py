# attn-kata: v3
# Tile layout of the kernel: keys are the rows of S, queries its columns, so that V^T S^T needs no transpose.
from __future__ import annotations

import torch
from torch import Tensor, einsum, nn

NEG = {t: torch.finfo(t).min for t in (torch.float16, torch.bfloat16, torch.float32, torch.float64)}


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.scale = hidden_dim ** -0.5
        self.proj_qk = nn.Linear(hidden_dim, 2 * hidden_dim, bias=False)
        self.proj_v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.proj_o = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k = self.proj_qk(x).tensor_split(2, dim=-1)
        v = self.proj_v(x)
        s = einsum("bkd,bqd->bkq", k, q * self.scale)
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, NEG[s.dtype])
        p = self.drop(torch.softmax(s, dim=-2))
        o = einsum("bkq,bkd->bqd", p, v)
        return self.proj_o(o)
