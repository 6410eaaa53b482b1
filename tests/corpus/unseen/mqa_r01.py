# attn-kata: mqa
from __future__ import annotations

import torch
from torch import Tensor, nn


class MultiQueryAttention(nn.Module):
    """All heads share K and V, so (heads · length) rows meet one (length, head_dim) matrix."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.H = num_heads
        self.D = hidden_dim // num_heads
        self.w_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.w_kv = nn.Linear(hidden_dim, 2 * self.D, bias=False)
        self.w_o = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        B, N, C = x.shape
        rows = self.w_q(x).view(B, N, self.H, self.D).transpose(1, 2).reshape(B, self.H * N, self.D)
        k, v = self.w_kv(x).split(self.D, dim=2)
        s = torch.bmm(rows, k.transpose(1, 2)).mul_(self.D ** -0.5).view(B, self.H, N, N)
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, float("-inf"))
        p = s.softmax(dim=-1).view(B, self.H * N, N)
        o = torch.bmm(p, v).view(B, self.H, N, self.D)
        return self.w_o(o.transpose(1, 2).reshape(B, N, C))
