from __future__ import annotations

import torch
from torch import Tensor, nn


class _Attend(torch.autograd.Function):
    """softmax(q k' + penalty) v and its gradients; of the (length, length) tensors only the weights are kept."""

    @staticmethod
    def forward(ctx, q, k, v, penalty, kept):
        # penalty: 0 or -inf; kept: None or what dropout multiplies the weights by
        weights = (q @ k.mT + penalty).softmax(-1)
        ctx.save_for_backward(q, k, v, weights, kept)
        return (weights if kept is None else weights * kept) @ v

    @staticmethod
    def backward(ctx, grad):
        q, k, v, weights, kept = ctx.saved_tensors
        dropped = weights if kept is None else weights * kept
        g = grad @ v.mT
        if kept is not None:
            g = g * kept
        gs = weights * (g - (weights * g).sum(-1, keepdim=True))
        return gs @ k, gs.mT @ q, dropped.mT @ grad, None, None


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        head_dim = hidden_dim // num_heads
        self.scale = head_dim**-0.5
        self.dropout = dropout
        # (role, head, in, out)
        self.w_in = nn.Parameter(torch.randn(3, num_heads, hidden_dim, head_dim) * hidden_dim**-0.5)
        self.b_in = nn.Parameter(torch.zeros(3, num_heads, 1, head_dim))
        self.w_out = nn.Parameter(torch.randn(num_heads, head_dim, hidden_dim) * hidden_dim**-0.5)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = torch.einsum("blc,rhcd->rbhld", x, self.w_in) + self.b_in.unsqueeze(1)
        penalty = torch.zeros((), dtype=q.dtype, device=q.device)
        if attention_mask is not None:
            penalty = penalty.expand(attention_mask.shape).masked_fill(attention_mask == 0, -torch.inf)
        kept = None
        if self.training and self.dropout > 0:
            ones = torch.ones(*q.shape[:3], k.shape[2], dtype=q.dtype, device=q.device)
            kept = nn.functional.dropout(ones, self.dropout)
        context = _Attend.apply(q * self.scale, k, v, penalty, kept)
        return torch.einsum("bhld,hdc->blc", context, self.w_out)
