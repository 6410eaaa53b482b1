"""Cross-attention with a softmax of my own, backward pass included."""
from __future__ import annotations

import torch
from torch import Tensor, nn


class MaskedSoftmax(torch.autograd.Function):
    """softmax over the last axis; gradient p * (g - sum(p * g))."""

    @staticmethod
    def forward(ctx, scores: Tensor, hidden: Tensor | None) -> Tensor:
        wide = scores.float() if scores.dtype in (torch.float16, torch.bfloat16) else scores
        if hidden is not None:
            wide = wide.masked_fill(hidden, -torch.inf)
        peak = wide.amax(-1, keepdim=True).clamp(min=torch.finfo(wide.dtype).min)
        num = torch.exp(wide - peak)
        den = num.sum(-1, keepdim=True)
        p = torch.where(den > 0, num / den, torch.zeros_like(num))
        ctx.save_for_backward(p)
        return p.to(scores.dtype)

    @staticmethod
    def backward(ctx, grad: Tensor):
        (p,) = ctx.saved_tensors
        g = grad.to(p.dtype)
        inner = (p * g).sum(-1, keepdim=True)
        return (p * (g - inner)).to(grad.dtype), None


class _Stream(nn.Module):
    """A projection and the cut into heads: (b, t, c) -> (b, h, t, d)."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.conv = nn.Conv1d(width, width, kernel_size=1)

    def forward(self, x: Tensor) -> Tensor:
        y = self.conv(x.transpose(1, 2))              # b c t
        return y.unflatten(1, (self.heads, -1)).mT    # b h t d


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.from_query = _Stream(hidden_dim, num_heads)
        self.from_key = _Stream(hidden_dim, num_heads)
        self.from_value = _Stream(hidden_dim, num_heads)
        self.mix = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        q, k, v = self.from_query(query), self.from_key(key), self.from_value(value)
        hidden = None if mask is None else mask.eq(0).unsqueeze(1)
        scores = (q * q.size(-1) ** -0.5) @ k.mT
        weights = self.drop(MaskedSoftmax.apply(scores, hidden))
        context = weights @ v
        return self.mix(context.transpose(1, 2).flatten(2))
