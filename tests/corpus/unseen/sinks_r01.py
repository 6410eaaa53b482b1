# attn-kata: sinks
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


def sdpa(Q: Tensor, K: Tensor, V: Tensor, S: Tensor, sm_scale: float) -> Tensor:
    """gpt-oss, torch/model.py, with a batch axis; Q, K, V: (batch, tokens, heads, head_dim)."""
    batch, n_tokens, n_heads, d_head = Q.shape
    S = S.reshape(1, n_heads, 1, 1).expand(batch, -1, n_tokens, -1)
    mask = torch.triu(Q.new_full((n_tokens, n_tokens), -float("inf")), diagonal=1)
    QK = torch.einsum("bqhd,bkhd->bhqk", Q, K)
    QK = QK * sm_scale
    QK = QK + mask[None, None, :, :]
    QK = torch.cat([QK, S], dim=-1)
    W = torch.softmax(QK, dim=-1)
    W = W[..., :-1]
    attn = torch.einsum("bhqk,bkhd->bqhd", W, V)
    return attn.reshape(batch, n_tokens, n_heads * d_head)


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.sinks = nn.Parameter(torch.zeros(num_heads))
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.sm_scale = 1 / math.sqrt(self.head_dim)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, _ = x.shape
        qkv = self.qkv(x).view(batch, length, 3, self.num_heads, self.head_dim)
        return self.out(sdpa(*qkv.unbind(dim=2), self.sinks, self.sm_scale))
