# attn-kata: mha
from __future__ import annotations

import torch
from torch import Tensor, nn


class SingleHead(nn.Module):
    def __init__(self, hidden_dim: int, head_dim: int, dropout: float):
        super().__init__()
        self.to_q, self.to_k, self.to_v = (nn.Linear(hidden_dim, head_dim, bias=False) for _ in range(3))
        self.scale = head_dim ** -0.5
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, blocked: Tensor | None) -> Tensor:
        """x (batch, length, hidden_dim), blocked broadcasts to (batch, length, length)"""
        scores = torch.bmm(self.to_q(x) * self.scale, self.to_k(x).transpose(1, 2))
        if blocked is not None:
            scores = scores.masked_fill(blocked, torch.finfo(scores.dtype).min)
        return torch.bmm(self.dropout(scores.softmax(dim=-1)), self.to_v(x))


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        head_dim = hidden_dim // num_heads
        self.heads = nn.ModuleList([SingleHead(hidden_dim, head_dim, dropout) for _ in range(num_heads)])
        self.out = nn.Linear(num_heads * head_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        blocked = None
        if attention_mask is not None:
            blocked = attention_mask[:, 0] == 0
        results = [head(x, blocked) for head in self.heads]
        return self.out(torch.cat(results, dim=-1))
