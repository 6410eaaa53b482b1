# attn-kata: gqa-rope
from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn


def rotate_half(x: Tensor) -> Tensor:
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((-x2, x1), dim=-1)


class GroupedQueryAttentionWithRope(nn.Module):
    """The attention layer of the released model, with its frequencies kept as a buffer."""

    def __init__(
        self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000
    ) -> None:
        super().__init__()
        self.n_heads = num_heads
        self.n_kv_heads = num_kv_heads
        self.n_rep = num_heads // num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, num_heads * self.head_dim, bias=False)
        self.wk = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.wv = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.wo = nn.Linear(num_heads * self.head_dim, hidden_dim, bias=False)
        inv_freq = 1.0 / (base ** (torch.arange(0, self.head_dim, 2).float() / self.head_dim))
        self.register_buffer("inv_freq", inv_freq, persistent=False)

    def _cos_sin(self, start: int, length: int, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
        t = torch.arange(start, start + length, device=self.inv_freq.device, dtype=torch.float32)
        freqs = torch.outer(t, self.inv_freq.float())
        emb = torch.cat((freqs, freqs), dim=-1)
        return emb.cos().to(dtype), emb.sin().to(dtype)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        bsz, seqlen, _ = x.shape
        xq = self.wq(x).view(bsz, seqlen, self.n_heads, self.head_dim).transpose(1, 2)
        xk = self.wk(x).view(bsz, seqlen, self.n_kv_heads, self.head_dim).transpose(1, 2)
        xv = self.wv(x).view(bsz, seqlen, self.n_kv_heads, self.head_dim).transpose(1, 2)
        start_pos = 0 if cache is None else cache[0].shape[2]
        cos, sin = self._cos_sin(start_pos, seqlen, x.dtype)
        xq = xq * cos + rotate_half(xq) * sin
        xk = xk * cos + rotate_half(xk) * sin
        if cache is not None:
            xk = torch.cat((cache[0], xk), dim=2)
            xv = torch.cat((cache[1], xv), dim=2)
        keys = torch.repeat_interleave(xk, self.n_rep, dim=1)
        values = torch.repeat_interleave(xv, self.n_rep, dim=1)
        scores = torch.matmul(xq, keys.transpose(2, 3)) * self.head_dim ** -0.5
        mask = torch.full((seqlen, keys.shape[2]), float("-inf"), device=x.device, dtype=scores.dtype)
        scores = scores + torch.triu(mask, diagonal=start_pos + 1)
        output = torch.matmul(torch.softmax(scores, dim=-1), values)
        return self.wo(output.transpose(1, 2).reshape(bsz, seqlen, -1)), (xk, xv)
