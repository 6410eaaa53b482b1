# attn-kata: mha
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    """Fused projection, stored head by head: (head, q/k/v, head_dim) along its rows, as in GPT-NeoX."""

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        if hidden_dim % num_heads != 0:
            raise ValueError("hidden_dim must be a multiple of num_heads")
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query_key_value = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.dense = nn.Linear(hidden_dim, hidden_dim)
        self.attention_dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        b, n, width = x.shape
        fused = self.query_key_value(x).view(b, n, self.num_heads, 3 * self.head_dim)
        q, k, v = fused.permute(0, 2, 1, 3).chunk(3, dim=-1)

        # folded to (batch * heads) for baddbmm
        fold = lambda t: t.reshape(b * self.num_heads, n, self.head_dim)
        q, k, v = fold(q), fold(k), fold(v)
        bias = torch.zeros(1, 1, 1, dtype=q.dtype, device=q.device)
        if attention_mask is not None:
            blocked = (attention_mask == 0).expand(b, self.num_heads, n, n)
            bias = torch.zeros(blocked.shape, dtype=q.dtype, device=q.device)
            bias = bias.masked_fill(blocked, torch.finfo(q.dtype).min / 2).flatten(0, 1)
        scores = torch.baddbmm(bias, q, k.transpose(1, 2), alpha=1 / math.sqrt(self.head_dim))
        probs = self.attention_dropout(torch.softmax(scores, dim=-1))
        context = torch.bmm(probs, v).view(b, self.num_heads, n, self.head_dim)
        return self.dense(context.permute(0, 2, 1, 3).reshape(b, n, width))
