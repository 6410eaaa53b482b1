# attn-kata: causal
"""Causal attention twice: the function that torch-judge asks for, and the module of the kata."""

import math

import torch
from torch import nn


def causal_attention(Q, K, V):  # noqa: N803 - the peer's names
    """Attend to what came before."""
    scores = Q @ K.transpose(-2, -1) / math.sqrt(K.size(-1))
    ahead = torch.ones(scores.shape[-2:], dtype=torch.bool, device=Q.device).triu(1)
    return scores.masked_fill(ahead, float("-inf")).softmax(-1) @ V


class CausalSelfAttention(nn.Module):
    """The same in heads, with its projections."""

    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.num_heads = num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        """Split, attend, merge."""
        batch, length, width = x.shape
        q, k, v = (
            part.view(batch, length, self.num_heads, -1).transpose(1, 2)
            for part in self.qkv(x).chunk(3, dim=-1)
        )
        return self.proj(causal_attention(q, k, v).transpose(1, 2).reshape(batch, length, width))
