# attn-kata: mha
from __future__ import annotations

import torch
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        if hidden_dim % num_heads:
            raise ValueError(f"{hidden_dim=} is not a multiple of {num_heads=}")
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.scaling = self.head_dim**-0.5
        self.linear_q = nn.Linear(hidden_dim, hidden_dim)
        self.linear_k = nn.Linear(hidden_dim, hidden_dim)
        self.linear_v = nn.Linear(hidden_dim, hidden_dim)
        self.dense = nn.Linear(hidden_dim, hidden_dim)
        self.attention_dropout = nn.Dropout(dropout)

    def _to_heads(self, t: Tensor) -> Tensor:
        """[b, s, h*d] -> [b*h, s, d]"""
        b, s, _ = t.shape
        t = t.view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
        return t.reshape(b * self.num_heads, s, self.head_dim)

    def _queries(self, x: Tensor) -> Tensor:
        return self._to_heads(self.linear_q(x) * self.scaling)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        b, s, width = x.shape
        q = self._queries(x)
        k = self._to_heads(self.linear_k(x))
        v = self._to_heads(self.linear_v(x))

        # raw attention scores, [b * np, s, s]; beta=0: the buffer is not read
        buffer = torch.empty(q.size(0), s, s, dtype=q.dtype, device=q.device)
        scores = torch.baddbmm(buffer, q, k.transpose(1, 2), beta=0.0, alpha=self.scaling)
        scores = scores.view(b, self.num_heads, s, s)

        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, torch.finfo(scores.dtype).min)
        probs = self.attention_dropout(torch.softmax(scores, dim=-1))

        context = torch.bmm(probs.view(b * self.num_heads, s, s), v)
        context = context.view(b, self.num_heads, s, self.head_dim)
        context = context.permute(0, 2, 1, 3).reshape(b, s, width)
        return self.dense(context)
