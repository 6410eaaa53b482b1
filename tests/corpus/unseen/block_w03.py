# attn-kata: block
from __future__ import annotations

import math
from typing import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def causal_attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """q, k, v: (batch, length, heads, head_dim)"""
    length, dim = q.shape[1], q.shape[-1]
    logits = torch.einsum("bqhd,bkhd->bhqk", q, k) / math.sqrt(dim)
    index = torch.arange(length, device=q.device)
    logits = torch.where(index[:, None] >= index, logits, float("-inf"))
    return torch.einsum("bhqk,bkhd->bqhd", torch.softmax(logits, dim=-1), v)


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.heads = num_heads
        self.norm_1 = nn.LayerNorm(hidden_dim)
        self.norm_2 = nn.LayerNorm(hidden_dim)
        self.w_q = nn.Linear(hidden_dim, hidden_dim)
        self.w_k = nn.Linear(hidden_dim, hidden_dim)
        self.w_v = nn.Linear(hidden_dim, hidden_dim)
        self.w_o = nn.Linear(hidden_dim, hidden_dim)
        self.w_up = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.w_down = nn.Linear(4 * hidden_dim, hidden_dim)

    def attention(self, h: Tensor) -> Tensor:
        q, k, v = (w(h).unflatten(-1, (self.heads, -1)) for w in (self.w_q, self.w_k, self.w_v))
        return self.w_o(causal_attention(q, k, v).flatten(-2))

    def mlp(self, h: Tensor) -> Tensor:
        return self.w_down(F.gelu(self.w_up(h)))

    @staticmethod
    def sublayer(h: Tensor, norm: nn.Module, fn: Callable[[Tensor], Tensor]) -> Tensor:
        return fn(norm(h))

    def forward(self, x: Tensor) -> Tensor:
        attended = x + self.sublayer(x, self.norm_1, self.attention)
        output = x + self.sublayer(attended, self.norm_2, self.mlp)
        return output
