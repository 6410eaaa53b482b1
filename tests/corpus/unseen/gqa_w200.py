from __future__ import annotations

import torch
from torch import Tensor, nn


class GroupedQueryAttention(nn.Module):
    """Never materialises the repeated keys: the group is an axis of the query only."""

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        self.H, self.K = num_heads, num_kv_heads
        self.G = num_heads // num_kv_heads
        self.d = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, self.H * self.d, bias=False)
        self.kv_proj = nn.Linear(hidden_dim, 2 * self.K * self.d, bias=False)
        self.o_proj = nn.Linear(self.H * self.d, hidden_dim, bias=False)

    def _lift(self, mask: Tensor) -> Tensor:
        # (b, h|1, t|1, s) -> (b, k|1, g|1, t|1, s)
        b, h, t, s = mask.shape
        if h == 1:
            return mask[:, :, None]
        return mask.reshape(b, self.G, self.K, t, s).transpose(1, 2)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        b, t, _ = x.shape
        q = self.q_proj(x).view(b, t, self.K, self.G, self.d)
        k, v = self.kv_proj(x).view(b, t, 2, self.K, self.d).unbind(2)

        a = torch.einsum("btkgd,bskd->bkgts", q, k).mul(self.d**-0.5)
        if attention_mask is not None:
            a = a.masked_fill(self._lift(attention_mask) == 0, -torch.inf)
        y = torch.einsum("bkgts,bskd->btkgd", a.softmax(-1), v)
        return self.o_proj(y.reshape(b, t, -1))
