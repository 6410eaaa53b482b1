# attn-kata: gqa
from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class GroupedQueryAttention(nn.Module):
    """Fused projection [q | k | v]; the shared heads are copied up to num_heads, then plain MHA."""

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        self.nh, self.nkv = num_heads, num_kv_heads
        self.hd = hidden_dim // num_heads
        self.wqkv = nn.Linear(hidden_dim, (num_heads + 2 * num_kv_heads) * self.hd, bias=False)
        self.wo = nn.Linear(num_heads * self.hd, hidden_dim, bias=False)

    def _expand(self, t: Tensor) -> Tensor:
        b, n, s, d = t.shape
        rep = self.nh // n
        return t[:, :, None].expand(b, n, rep, s, d).reshape(b, n * rep, s, d)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        b, s, _ = x.shape
        fused = self.wqkv(x).view(b, s, self.nh + 2 * self.nkv, self.hd).transpose(1, 2)
        q, k, v = fused.split([self.nh, self.nkv, self.nkv], dim=1)
        k = self._expand(k)
        v = v.repeat(1, self.nh // self.nkv, 1, 1)

        scores = torch.matmul(q, k.transpose(-1, -2)) * (1.0 / math.sqrt(self.hd))
        if attention_mask is not None:
            hidden = attention_mask.logical_not()
            scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
        ctx = torch.matmul(F.softmax(scores, dim=-1), v)
        return self.wo(ctx.transpose(1, 2).reshape(b, s, -1))
