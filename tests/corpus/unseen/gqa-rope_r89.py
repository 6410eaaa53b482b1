from __future__ import annotations

import torch
from torch import Tensor, nn


class GroupedQueryAttentionWithRope(nn.Module):
    """Rotation as a product of complex numbers; the cache keeps keys as they were before it."""

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000) -> None:
        super().__init__()
        self.head_dim = hidden_dim // num_heads
        self.groups = num_heads // num_kv_heads
        self.base = base
        self.wq = nn.Linear(hidden_dim, num_heads * self.head_dim, bias=False)
        self.wk = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.wv = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.wo = nn.Linear(num_heads * self.head_dim, hidden_dim, bias=False)

    def turn(self, t: Tensor, first: int) -> Tensor:
        """t is (batch, heads, length, head_dim), and its positions begin at first."""
        wide = torch.promote_types(t.dtype, torch.float32)
        half = self.head_dim // 2
        i = torch.arange(half, device=t.device, dtype=wide)
        p = torch.arange(first, first + t.shape[2], device=t.device, dtype=wide)
        angle = torch.outer(p, self.base ** (-2 * i / self.head_dim))
        unit = torch.polar(torch.ones_like(angle), angle)
        turned = torch.complex(*t.to(wide).chunk(2, dim=-1)) * unit
        return torch.cat((turned.real, turned.imag), dim=-1).to(t.dtype)

    def forward(self, x: Tensor, cache: Tensor | None = None) -> tuple[Tensor, Tensor]:
        q, k, v = (
            layer(x).unflatten(-1, (-1, self.head_dim)).transpose(1, 2) for layer in (self.wq, self.wk, self.wv)
        )
        kv = torch.stack((k, v))
        if cache is not None:
            kv = torch.cat((cache, kv), dim=3)
        k, v = kv
        total, new = k.shape[2], x.shape[1]
        q, k = self.turn(q, total - new), self.turn(k, 0)
        k = k.repeat_interleave(self.groups, dim=1)
        v = v.repeat_interleave(self.groups, dim=1)
        scores = q @ k.mT / self.head_dim**0.5
        ahead = torch.ones(new, total, dtype=torch.bool, device=x.device).triu(total - new + 1)
        weights = scores.masked_fill(ahead, float("-inf")).softmax(-1)
        return self.wo((weights @ v).transpose(1, 2).flatten(2)), kv
