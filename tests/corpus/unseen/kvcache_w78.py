from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.h = num_heads
        self.hd = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        b, t, d = x.shape
        # (3, b, h, t, hd)
        q, k, v = self.qkv(x).view(b, t, 3, self.h, self.hd).permute(2, 0, 3, 1, 4)

        if cache is not None:
            # 把缓存和新的 k、v 拼起来
            k = torch.cat((k, cache["k"]), dim=-2)
            v = torch.cat((v, cache["v"]), dim=-2)
        total = k.size(-2)
        start = total - t

        scores = q @ k.mT * self.hd ** -0.5
        q_pos = torch.arange(start, total, device=x.device).unsqueeze(1)
        k_pos = torch.arange(total, device=x.device).unsqueeze(0)
        scores = scores.masked_fill(k_pos > q_pos, float("-inf"))

        y = scores.softmax(-1) @ v
        y = y.transpose(1, 2).reshape(b, t, d)
        return self.out(y), {"k": k, "v": v}
